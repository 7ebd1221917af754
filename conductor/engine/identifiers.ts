/** Identifiers the conductor makes. */
import { randomBytes, randomUUID } from 'node:crypto';

export function newUuid(): string {
  return randomUUID();
}

/** 43 URL-safe characters, as Ironic's agent token. */
export function newAgentToken(): string {
  return randomBytes(32).toString('base64url');
}
