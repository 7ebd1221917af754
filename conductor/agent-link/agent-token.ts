/** The token of an agent's session: given once at lookup, sent back in every heartbeat and command. */
import { randomBytes, timingSafeEqual } from 'node:crypto';

/** 43 URL-safe characters, as Ironic's. */
export function newAgentToken(): string {
  return randomBytes(32).toString('base64url');
}

/** In a time that does not tell where they differ. */
export function isAgentToken(given: string | null, expected: string): boolean {
  const [a, b] = [Buffer.from(given ?? ''), Buffer.from(expected)];
  return a.length === b.length && timingSafeEqual(a, b);
}
