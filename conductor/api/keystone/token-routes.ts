/**
 * `/v3/auth/tokens`: issues, shows and revokes tokens.
 */
import type { FastifyRequest } from 'fastify';
import type { LocalIdentity } from '../../auth/authentication.ts';
import { IngotError } from '../../domain/errors.ts';
import { isOurDomain, isOurProject } from '../../identity/directory.ts';
import type { TokenClaims, TokenScope } from '../../identity/signed-token.ts';
import { DEFAULT_PROJECT } from '../../identity/tenant.ts';
import { described } from '../cloud/cloud-route.ts';
import type { App } from '../kit/app.ts';
import {
  AUTH_BODY,
  type AuthRequest,
  type Proof,
  parseAuthRequest,
  type WantedScope,
} from './auth-request.ts';
import { catalogOf, type Place } from './catalog.ts';
import { tokenView } from './token-view.ts';

const TOKENS = '/v3/auth/tokens';
const AUTH_BODY_BYTES = 16 * 1024;
const SHOW = { nocatalog: { type: 'string' } };
/** No user has this name. It is checked for users of other domains, so that rejecting them takes as long. */
const UNKNOWN_USER = '';

export interface TokenRoutes {
  readonly identity: LocalIdentity;
  readonly placeOf: (request: FastifyRequest) => Place;
}

export function registerTokens(app: App, { identity, placeOf }: TokenRoutes): void {
  const { passwords, tokens } = identity;

  async function userOf(proof: Proof, address: string): Promise<Pick<TokenClaims, 'user'> | TokenClaims> {
    if (proof.method === 'token') {
      const claims = await tokens.claimsOf(proof.token);
      if (claims === undefined) throw refused();
      return claims;
    }
    const { user, domain, password } = proof;
    const isHere = domain === undefined || isOurDomain(domain);
    const isRight = await passwords.isRight({ name: isHere ? user : UNKNOWN_USER, password }, address);
    if (!isHere || !isRight) throw refused();
    return { user };
  }

  async function issue({ proof, scope }: AuthRequest, address: string) {
    const found = await userOf(proof, address);
    const earlier = 'expiresAt' in found ? found : undefined;
    const methods = [...new Set([...(earlier?.methods ?? []), proof.method])];
    return tokens.issue({
      ...{ user: found.user, scope: scopeOf(scope), methods },
      ...(earlier === undefined ? {} : { expiresAt: earlier.expiresAt }),
    });
  }

  async function subjectOf(request: FastifyRequest): Promise<TokenClaims> {
    const text = request.headers['x-subject-token'];
    if (typeof text !== 'string') {
      throw new IngotError('missingParameter', 'Send the token that this is about as X-Subject-Token.');
    }
    const claims = await tokens.claimsOf(text);
    if (claims !== undefined) return claims;
    throw new IngotError('notFound', 'Could not find token: it is none of ours, has ended or was revoked.');
  }

  const bodyOf = (request: FastifyRequest, claims: TokenClaims) => ({
    token: tokenView(claims, 'nocatalog' in (request.query as object) ? null : catalogOf(placeOf(request))),
  });

  app.post(
    TOKENS,
    {
      ...described('public', 'Issue a token', { body: AUTH_BODY, status: 201, item: 'token' }),
      bodyLimit: AUTH_BODY_BYTES,
    },
    async (request, reply) => {
      reply.header('WWW-Authenticate', `Keystone uri="${placeOf(request).base}/identity"`);
      const { text, claims } = await issue(parseAuthRequest(request.body), request.ip);
      reply.removeHeader('WWW-Authenticate');
      return reply
        .code(201)
        .header('X-Subject-Token', text)
        .header('Vary', 'X-Auth-Token')
        .send(bodyOf(request, claims));
    },
  );

  app.get(
    TOKENS,
    { exposeHeadRoute: true, ...described('token', 'Show a token', { query: SHOW, item: 'token' }) },
    async (request, reply) => {
      const claims = await subjectOf(request);
      return reply
        .header('X-Subject-Token', request.headers['x-subject-token'])
        .header('Vary', 'X-Auth-Token')
        .send(bodyOf(request, claims));
    },
  );

  app.delete(TOKENS, described('token', 'Revoke a token', { status: 204 }), async (request, reply) => {
    await tokens.revoke(await subjectOf(request));
    return reply.code(204).send();
  });
}

/** The default scope is the project. Throws unauthorized for a scope in which no user has a role. */
function scopeOf(wanted: WantedScope): TokenScope {
  switch (wanted.kind) {
    case 'system':
    case 'none':
      return wanted.kind;
    case 'unsaid':
      return 'project';
    case 'project':
      if (isOurProject(wanted.project) && (wanted.domain === undefined || isOurDomain(wanted.domain))) {
        return 'project';
      }
  }
  throw new IngotError(
    'unauthorized',
    `You have no role there: this conductor has the project "${DEFAULT_PROJECT}" of the domain Default, and the system.`,
  );
}

/** The text does not reveal what was wrong. */
const refused = (): IngotError =>
  new IngotError('unauthorized', 'The request you have made requires authentication.');
