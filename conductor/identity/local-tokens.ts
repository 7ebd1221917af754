/**
 * Issues and checks our own tokens. A token is valid until it expires or is revoked, or until its user's password
 * changes or is removed.
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
  /**
   * `expiresAt`: a token that is made from another token expires with that one. Throws when the user does not exist.
   */
  issue(wanted: {
    readonly user: string;
    readonly scope: TokenScope;
    readonly methods: readonly TokenMethod[];
    readonly expiresAt?: number;
  }): IssuedToken;
  /** undefined when the token is not valid. */
  claimsOf(text: string): Promise<TokenClaims | undefined>;
  /** The token stays revoked after a restart. */
  revoke(claims: TokenClaims): Promise<void>;
}

export interface LocalTokensDeps {
  readonly key: Buffer;
  readonly lifetimeMs: number;
  /** The user's password hash; undefined when the user does not exist. */
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
      if (credential === undefined) throw new Error('a token can be issued only for a user that exists');
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
