/**
 * Explains to operators why a source could not be read, with advice.
 */

interface Cause {
  readonly what: string;
  readonly attempt: string;
}

const serverDown = 'check that the server runs, and that no firewall blocks the conductor';

/** By error code of sockets, the resolver, the HTTP client and the file system. */
const CAUSES: Readonly<Record<string, Cause>> = {
  ECONNREFUSED: { what: 'the connection was refused', attempt: serverDown },
  EHOSTUNREACH: { what: 'the host cannot be reached', attempt: serverDown },
  ENETUNREACH: { what: 'the network cannot be reached', attempt: serverDown },
  ETIMEDOUT: { what: 'the host did not answer', attempt: serverDown },
  UND_ERR_CONNECT_TIMEOUT: { what: 'the host did not answer', attempt: serverDown },
  UND_ERR_HEADERS_TIMEOUT: {
    what: 'the server accepted the request and did not answer',
    attempt: serverDown,
  },
  UND_ERR_BODY_TIMEOUT: {
    what: 'the server stopped sending',
    attempt: 'deploy again; if it happens again, check the server',
  },
  UND_ERR_SOCKET: {
    what: 'the connection broke',
    attempt: 'deploy again; if it happens again, check the server',
  },
  ECONNRESET: {
    what: 'the connection broke',
    attempt: 'deploy again; if it happens again, check the server',
  },
  ENOTFOUND: {
    what: 'the host name cannot be resolved',
    attempt: 'correct the name, or the name servers of the conductor',
  },
  EAI_AGAIN: { what: 'no name server answered', attempt: 'check the name servers of the conductor' },
  ENOSPC: {
    what: "the conductor's disk is full",
    attempt: 'free some space under its data_dir, or lower images.cache_gib',
  },
};

const CERTIFICATE = /CERT|SELF_SIGNED|UNABLE_TO_|ERR_TLS/;

/** The reason, followed by advice if there is any. */
export function explain(error: unknown): string {
  const { code = '', message } = innermost(error);
  const cause = CAUSES[code];
  if (cause !== undefined) return `${cause.what}. To try: ${cause.attempt}`;
  if (CERTIFICATE.test(code))
    return `the server's certificate is not trusted (${code}). To try: give the conductor the CA certificate with NODE_EXTRA_CA_CERTS`;
  return message === '' ? code || 'the reason is unknown' : message;
}

/** For a host with several addresses the outer error has no message and contains the error of each address. */
export function innermost(error: unknown): NodeJS.ErrnoException {
  const inner = error instanceof AggregateError ? error.errors[0] : (error as Error).cause;
  return (error as NodeJS.ErrnoException).code === undefined && inner instanceof Error
    ? innermost(inner)
    : (error as NodeJS.ErrnoException);
}

const STATUS_ATTEMPTS: readonly (readonly [statuses: RegExp, attempt: string])[] = [
  [/401|403/, 'put user and password into the URL, or give the conductor access to the file'],
  [/404|410/, 'the file does not exist: correct the URL'],
  [/4../, 'correct the URL'],
  [/5../, 'the server has a problem: check it, then deploy again'],
];

export function explainStatus(status: number): string {
  const attempt = STATUS_ATTEMPTS.find(([statuses]) => statuses.test(String(status)))?.[1];
  return `the server answered HTTP ${status}${attempt === undefined ? '' : `. To try: ${attempt}`}`;
}
