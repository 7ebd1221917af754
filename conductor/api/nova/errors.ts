/**
 * Bodies of Nova's errors: `{"itemNotFound": {"code": 404, "message": "..."}}`, keyed by the status.
 */
import type { JsonObject } from '../../domain/json.ts';

const NAMES: Readonly<Record<number, string>> = {
  400: 'badRequest',
  401: 'unauthorized',
  403: 'forbidden',
  404: 'itemNotFound',
  405: 'badMethod',
  409: 'conflictingRequest',
  413: 'overLimit',
  415: 'badMediaType',
  429: 'overLimit',
  501: 'notImplemented',
  503: 'serviceUnavailable',
};

/** Nova has no names for 406 and similar; they are computeFault. */
export const novaErrorBody = (status: number, message: string): JsonObject => ({
  [NAMES[status] ?? 'computeFault']: { code: status, message },
});
