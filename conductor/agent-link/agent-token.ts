/** The token of an agent's session: returned once by lookup, and sent in every heartbeat and command. */
import { randomBytes, timingSafeEqual } from 'node:crypto';

/** 43 URL-safe characters, as Ironic's. */
export function newAgentToken(): string {
  return randomBytes(32).toString('base64url');
}

/** Compares in constant time. */
export function isAgentToken(given: string | null, expected: string): boolean {
  const [a, b] = [Buffer.from(given ?? ''), Buffer.from(expected)];
  return a.length === b.length && timingSafeEqual(a, b);
}
