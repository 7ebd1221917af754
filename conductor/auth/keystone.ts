/**
 * `keystone`: Keystone validates the X-Auth-Token of a request, which has the roles of its scope.
 *
 * Answers are cached for a limited time, under a keyed digest of the token. During that time a token is accepted
 * even if Keystone is down or has revoked it.
 */
import { createHmac, randomBytes } from 'node:crypto';
import type { FastifyBaseLogger } from 'fastify';
import { IngotError } from '../domain/errors.ts';
import type { Caller } from '../domain/policy.ts';
import type { Authentication, Challenge } from './authentication.ts';
import { createKeystoneClient, type KeystoneAccess, type KeystoneClient } from './keystone-client.ts';
import { parseToken, type Token, type TrustedProjects } from './keystone-token.ts';

/** Printable ASCII of limited length. Fernet and JWS tokens are far shorter. */
const TOKEN = /^[\x21-\x7e]{1,4096}$/;
const MAX_REMEMBERED = 10_000;
/** Rejections are cached for less time, because the same token may become valid. */
const MAX_REFUSED = 1000;
const REFUSED_MS = 10_000;
const MAX_WAITING = 64;

export interface KeystoneSettings extends KeystoneAccess, TrustedProjects {
  /** URL of Keystone that callers without a valid token get; null means authUrl. */
  readonly publicUrl: string | null;
  /** How long an answer about a token is cached. */
  readonly cacheMs: number;
}

interface Remembered {
  readonly token: Token | undefined;
  readonly until: number;
}

export function createKeystoneAuthentication(
  settings: KeystoneSettings,
  logger: FastifyBaseLogger,
  client: KeystoneClient = createKeystoneClient(settings),
  now: () => number = Date.now,
): Authentication {
  const challenge = challengeOf(settings.publicUrl ?? settings.authUrl);
  const key = randomBytes(32);
  const accepted = new Map<string, Remembered>();
  const refused = new Map<string, Remembered>();
  const asking = new Map<string, Promise<Token | undefined>>();

  function remember(digest: string, token: Token | undefined): void {
    const [memory, limit, forMs] =
      token === undefined
        ? ([refused, MAX_REFUSED, REFUSED_MS] as const)
        : ([accepted, MAX_REMEMBERED, settings.cacheMs] as const);
    const [oldest] = memory.keys();
    if (oldest !== undefined && memory.size >= limit) memory.delete(oldest);
    memory.set(digest, { token, until: now() + forMs });
  }

  async function ask(digest: string, text: string): Promise<Token | undefined> {
    const answer = await client.tokenOf(text);
    const token = answer === undefined ? undefined : parseToken(answer, settings);
    if (answer !== undefined && token === undefined) {
      logger.warn('Keystone vouched for a token that lacks its user, its roles or its end');
    }
    remember(digest, token);
    return token;
  }

  /** Requests with the same token share one validation. */
  async function lookUp(text: string): Promise<Token | undefined> {
    const digest = createHmac('sha256', key).update(text).digest('base64');
    const known = accepted.get(digest) ?? refused.get(digest);
    if (known !== undefined && known.until > now()) return known.token;
    accepted.delete(digest);
    refused.delete(digest);
    const running = asking.get(digest);
    if (running !== undefined) return running;
    if (asking.size >= MAX_WAITING) {
      throw new IngotError('unavailable', 'Too many tokens are being checked. Try again in a moment.');
    }
    const answer = ask(digest, text).finally(() => asking.delete(digest));
    asking.set(digest, answer);
    return answer;
  }

  return {
    async callerOf(request): Promise<Caller | Challenge> {
      const text = [request.headers['x-auth-token']].flat()[0];
      if (text === undefined || !TOKEN.test(text)) return challenge;
      const token = await lookUp(text);
      return token === undefined || token.expiresAt <= now() ? challenge : token.caller;
    },
    close: () => client.close(),
  };
}

const challengeOf = (url: string): Challenge => ({
  header: `Keystone uri="${url}"`,
  body: {
    error: {
      code: 401,
      title: 'Unauthorized',
      message: 'The request you have made requires authentication: send a Keystone token as X-Auth-Token.',
    },
  },
});
