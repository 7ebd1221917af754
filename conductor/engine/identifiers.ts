/** Identifiers the conductor makes. */
import { randomUUID } from 'node:crypto';

export function newUuid(): string {
  return randomUUID();
}
