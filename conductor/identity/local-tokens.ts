/**
 * Issues and checks tokens of our own. One counts until its time is over, it is revoked, or its user has another
 * password or none.
 */
import { createHmac, randomBytes } from 'node:crypto';
import type { RevokedTokens } from '../domain/store/revoked-tokens.ts';
import {
  decodeToken,
  encodeToken,
  type TokenClaims,
  type TokenMethod,
  type TokenScope,
} from './signed-token.ts';

export interface IssuedToken {
  readonly text: string;
  readonly claims: TokenClaims;
}

export interface LocalTokens {
  /** `expiresAt` is that of the token it is made from, if any. Throws for a user who is not there. */
  issue(wanted: {
    readonly user: string;
    readonly scope: TokenScope;
    readonly methods: readonly TokenMethod[];
    readonly expiresAt?: number;
  }): IssuedToken;
  /** undefined for one that does not count. */
  claimsOf(text: string): Promise<TokenClaims | undefined>;
  /** Holds after a restart too. */
  revoke(claims: TokenClaims): Promise<void>;
}

export interface LocalTokensDeps {
  readonly key: Buffer;
  readonly lifetimeMs: number;
  /** What a user's password is checked against; undefined for one who is not there. */
  readonly hashOf: (user: string) => string | undefined;
  readonly revoked: RevokedTokens;
  readonly now: () => Date;
}

export function createLocalTokens({ key, lifetimeMs, hashOf, revoked, now }: LocalTokensDeps): LocalTokens {
  const credentialOf = (user: string): string | undefined => {
    const hash = hashOf(user);
    return hash === undefined
      ? undefined
      : createHmac('sha256', key).update(`credential\0${hash}`).digest('base64url').slice(0, 16);
  };

  return {
    issue({ user, scope, methods, expiresAt }) {
      const credential = credentialOf(user);
      if (credential === undefined) throw new Error('a token is for a user who is there');
      const issuedAt = now().getTime();
      const claims: TokenClaims = {
        id: randomBytes(16).toString('base64url'),
        ...{ user, scope, methods, issuedAt, credential },
        expiresAt: expiresAt ?? issuedAt + lifetimeMs,
      };
      return { text: encodeToken(claims, key), claims };
    },

    async claimsOf(text) {
      const claims = decodeToken(text, key);
      if (claims === undefined || claims.expiresAt <= now().getTime()) return undefined;
      if (claims.credential !== credentialOf(claims.user)) return undefined;
      return (await revoked.has(claims.id)) ? undefined : claims;
    },

    revoke: ({ id, expiresAt }) => revoked.add(id, new Date(expiresAt), now()),
  };
}
