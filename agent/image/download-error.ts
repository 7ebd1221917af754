/**
 * What can go wrong between the agent and an image source, in an operator's words.
 */

/** The source did not give the image; another source may. */
export class DownloadError extends Error {
  override readonly name: string = 'DownloadError';
}

/** Trying the same source again does not help. */
export class FinalDownloadError extends DownloadError {}

/** What is there now is not what was there when the transfer began: only from its first byte can it go on. */
export class SourceChanged extends FinalDownloadError {}

/** Without user info and query: those may hold credentials. */
export function publicUrl(url: string): string {
  const { origin, pathname } = new URL(url);
  return `${origin}${pathname}`;
}

/** By Node's and undici's error codes. */
const WORDS: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'the connection was refused: is the image server running, and its port open to this network?',
  ECONNRESET: 'the connection was reset',
  EHOSTUNREACH: 'the server cannot be reached: check the route and the addresses of this network',
  ENETUNREACH: 'the server cannot be reached: check the route and the addresses of this network',
  ENOTFOUND: "the server's name is not known: check DNS in this network",
  EAI_AGAIN: "the server's name cannot be resolved: check DNS in this network",
  UND_ERR_CONNECT_TIMEOUT: 'the connection was not answered: a firewall may be in between',
  UND_ERR_HEADERS_TIMEOUT: 'it stalled before it answered',
  UND_ERR_BODY_TIMEOUT: 'it stalled',
  UND_ERR_SOCKET: 'the connection ended early',
};

/** Of whatever a connection fails with; never empty, as the message of an AggregateError is. */
export function reasonOf(error: unknown): string {
  const { code, message, errors } = (error ?? {}) as {
    code?: unknown;
    message?: unknown;
    errors?: readonly unknown[];
  };
  const words = typeof code === 'string' ? WORDS[code] : undefined;
  if (words !== undefined) return words;
  if (errors?.[0] !== undefined) return reasonOf(errors[0]);
  return String(message || code || error);
}
