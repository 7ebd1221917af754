/**
 * The format of our own tokens: claims and a signature.
 *
 *   base64url(JSON array of claims) . base64url(HMAC-SHA256 over PURPOSE and the first part)
 *
 * Pure. Nothing in a token is secret, but whoever has a token can use it.
 */
import { createHmac, timingSafeEqual } from 'node:crypto';

export type TokenScope = 'project' | 'system' | 'none';
export type TokenMethod = 'password' | 'token';

export interface TokenClaims {
  /** Random; Keystone's audit id. */
  readonly id: string;
  readonly user: string;
  /** `project` names no project because there is only one. */
  readonly scope: TokenScope;
  readonly methods: readonly TokenMethod[];
  /** Milliseconds since the epoch. */
  readonly issuedAt: number;
  readonly expiresAt: number;
  /** Changes with the user's password. */
  readonly credential: string;
}

const PURPOSE = 'ingot token 1\0';
const TOKEN = /^([\w-]{16,2048})\.([\w-]{43})$/;

const signature = (payload: string, key: Buffer): Buffer =>
  createHmac('sha256', key).update(PURPOSE).update(payload).digest();

export function encodeToken(claims: TokenClaims, key: Buffer): string {
  const { id, user, scope, methods, issuedAt, expiresAt, credential } = claims;
  const row = [id, user, scope, methods, issuedAt, expiresAt, credential];
  const payload = Buffer.from(JSON.stringify(row)).toString('base64url');
  return `${payload}.${signature(payload, key).toString('base64url')}`;
}

/** undefined unless the token is signed with this key. Does not check expiry or revocation. */
export function decodeToken(text: string, key: Buffer): TokenClaims | undefined {
  const [, payload = '', proof = ''] = TOKEN.exec(text) ?? [];
  const given = Buffer.from(proof, 'base64url');
  const right = signature(payload, key);
  if (given.length !== right.length || !timingSafeEqual(given, right)) return undefined;
  const row = JSON.parse(Buffer.from(payload, 'base64url').toString()) as Parameters<typeof claimsOf>;
  return claimsOf(...row);
}

const claimsOf = (
  id: string,
  user: string,
  scope: TokenScope,
  methods: readonly TokenMethod[],
  issuedAt: number,
  expiresAt: number,
  credential: string,
): TokenClaims => ({ id, user, scope, methods, issuedAt, expiresAt, credential });
