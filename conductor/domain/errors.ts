/**
 * All errors that the conductor reports on purpose, in one table.
 *
 * The code decides the HTTP status and whether a caller may try again. The text says what happened to which field or
 * step, and what to try. Any other exception is a bug: it is logged with its stack, and the caller gets a fault id.
 *
 *   invalid  the request is wrong: 4xx, never retried
 *   busy     try again: 409, 429 or 503
 *   failed   work on a node failed: the text goes to last_error
 */
export const ERRORS = {
  invalidParameter: { status: 400, family: 'invalid' },
  missingParameter: { status: 400, family: 'invalid' },
  invalidState: { status: 400, family: 'invalid' },
  unsupported: { status: 400, family: 'invalid' },
  unauthorized: { status: 401, family: 'invalid' },
  forbidden: { status: 403, family: 'invalid' },
  notFound: { status: 404, family: 'invalid' },
  notAcceptable: { status: 406, family: 'invalid' },
  conflict: { status: 409, family: 'invalid' },
  tooMany: { status: 429, family: 'busy' },
  uploadTimeout: { status: 408, family: 'invalid' },
  tooLarge: { status: 413, family: 'invalid' },
  unsupportedMedia: { status: 415, family: 'invalid' },
  nodeLocked: { status: 409, family: 'busy' },
  unavailable: { status: 503, family: 'busy' },
  bmcFailure: { status: 500, family: 'failed' },
  imageFailure: { status: 500, family: 'failed' },
  agentFailure: { status: 500, family: 'failed' },
  timeout: { status: 500, family: 'failed' },
  aborted: { status: 500, family: 'failed' },
  interrupted: { status: 500, family: 'failed' },
} as const satisfies Record<string, { status: number; family: 'invalid' | 'busy' | 'failed' }>;

export type ErrorCode = keyof typeof ERRORS;

export class IngotError extends Error {
  readonly code: ErrorCode;

  constructor(code: ErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'IngotError';
    this.code = code;
  }

  get status(): number {
    return ERRORS[this.code].status;
  }

  get family(): 'invalid' | 'busy' | 'failed' {
    return ERRORS[this.code].family;
  }
}

/** Longer identifiers are cut in logs and answers. */
const SHOWN_IDENT = 255;

/** With the text of OpenStack's services. `what`: the name of the resource, such as `Node`. */
export const notFound = (what: string, ident: string): IngotError =>
  new IngotError('notFound', `${what} ${ident.slice(0, SHOWN_IDENT)} could not be found.`);
