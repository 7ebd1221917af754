/**
 * `http_basic` (RFC 7617): names and passwords of an htpasswd file, or tokens that were issued for them. Every user
 * of the file may do everything.
 */
import type { FastifyRequest } from 'fastify';
import { type Caller, operator } from '../domain/policy.ts';
import type { LocalTokens } from '../identity/local-tokens.ts';
import type { TokenClaims } from '../identity/signed-token.ts';
import type { Authentication, Challenge } from './authentication.ts';
import type { Credentials, PasswordCheck } from './password-check.ts';

const CHALLENGE: Challenge = {
  header: 'Basic realm="Baremetal API"',
  body: { error: { message: 'Authorization required', code: 401 } },
};

/** `tokens` is null if no tokens are issued. */
export function createBasicAuthentication(
  passwords: PasswordCheck,
  tokens: LocalTokens | null,
): Pick<Authentication, 'callerOf'> {
  async function tokenOf(request: FastifyRequest): Promise<TokenClaims | undefined> {
    const text = request.headers['x-auth-token'];
    return typeof text === 'string' ? tokens?.claimsOf(text) : undefined;
  }

  return {
    async callerOf(request) {
      const given = basicCredentials(request.headers.authorization);
      if (given !== undefined) {
        return (await passwords.isRight(given, request.ip)) ? operator(given.name) : CHALLENGE;
      }
      const claims = await tokenOf(request);
      return claims === undefined ? CHALLENGE : callerOf(claims);
    },
  };
}

/** A token without scope has no rights: it can be exchanged for one that has. */
const callerOf = ({ user, scope }: TokenClaims): Caller =>
  scope === 'none' ? { user, scope: { kind: 'none' }, role: null, service: false } : operator(user);

function basicCredentials(header: string | undefined): Credentials | undefined {
  const encoded = /^Basic ([A-Za-z0-9+/=]{1,1024})$/i.exec(header ?? '')?.[1];
  if (encoded === undefined) return undefined;
  const text = Buffer.from(encoded, 'base64').toString('utf8');
  const colon = text.indexOf(':');
  return colon < 0 ? undefined : { name: text.slice(0, colon), password: text.slice(colon + 1) };
}
