/**
 * The fault of a server, made from an error.
 */
import type { ServerFault } from '../domain/compute.ts';
import { IngotError } from '../domain/errors.ts';

/** Nova's code for errors that the request did not cause. */
const CODE = 500;

/** `at` names the failed work; shown only to administrators. */
export function faultOf(error: unknown, now: Date, at: string): ServerFault {
  const text = error instanceof Error ? error.message : String(error);
  const isOurs = error instanceof IngotError;
  return faultSaying(isOurs ? text : `Unexpected fault of the conductor while ${at}.`, now, `${at}: ${text}`);
}

export function faultSaying(message: string, now: Date, details: string | null = null): ServerFault {
  return { code: CODE, message, details, created: now.toISOString() };
}
