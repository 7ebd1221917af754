/**
 * Errors of image downloads, and texts for operators.
 */

/** The source did not deliver the image; another source may. */
export class DownloadError extends Error {
  override readonly name: string = 'DownloadError';
}

/** Another try with the same source will fail too. */
export class FinalDownloadError extends DownloadError {}

/** The file at the source has changed since the transfer began, so the transfer must restart at its first byte. */
export class SourceChanged extends FinalDownloadError {}

/** The URL without user info and query, which may contain credentials. */
export function publicUrl(url: string): string {
  const { origin, pathname } = new URL(url);
  return `${origin}${pathname}`;
}

/** Texts by error code of Node and undici. */
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

/** The reason of a failed connection. Never empty, unlike the message of an AggregateError. */
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
