/**
 * What went wrong, as a server shows it.
 */
import type { ServerFault } from '../domain/compute.ts';
import { IngotError } from '../domain/errors.ts';

/** Nova's code for everything that is not the request's fault. */
const CODE = 500;

/** `at` names what was being done, for those who may see details. */
export function faultOf(error: unknown, now: Date, at: string): ServerFault {
  const text = error instanceof Error ? error.message : String(error);
  const isOurs = error instanceof IngotError;
  return faultSaying(isOurs ? text : `Unexpected fault of the conductor while ${at}.`, now, `${at}: ${text}`);
}

export function faultSaying(message: string, now: Date, details: string | null = null): ServerFault {
  return { code: CODE, message, details, created: now.toISOString() };
}
