/**
 * What the conductor fetches for others: images, checksum files, imports, calls of inspection rules. The only way to do
 * so is this interface, which refuses addresses that the operator did not allow.
 */

export interface OpenOptions {
  /** Time limit for connecting, and without data before and during the answer. */
  readonly stallMs: number;
  readonly signal: AbortSignal;
  readonly maxRedirects: number;
  /** Sent to the origin of the URL only. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Called with the URL and every redirect target. Throws if it is not allowed. */
  readonly checkUrl?: (url: URL) => void;
}

/** An answer with any status. `close` must be called. */
export interface OutboundAnswer {
  readonly status: number;
  /** The announced length; null if unknown. */
  readonly length: number | null;
  /** The URL after redirects, redacted. */
  readonly finalUrl: string;
  readonly body: AsyncIterable<Buffer>;
  close(): Promise<void>;
}

export interface Outbound {
  /**
   * Sends a GET request and follows redirects. Throws RefusedDestination before a connection to an address that is not
   * allowed, and the errors of sockets.
   */
  open(url: string, options: OpenOptions): Promise<OutboundAnswer>;
  /** Throws RefusedDestination for a URL whose host is an address that is not allowed. Resolves no names. */
  checkAddress(url: URL): Promise<void>;
  /** The same without the addresses of BMCs, for early answers; undefined if the URL may be asked. */
  refusal(url: URL): string | undefined;
}

/** The message says which address, why and what to do. It is for operators, not for guests. */
export class RefusedDestination extends Error {
  override readonly name: string = 'RefusedDestination';
}

/** What a guest is told: nothing about the network. */
export const REFUSED_FOR_GUESTS =
  'its address is not allowed. Operators find the address in the log of the conductor, and allow it with outbound.allow';
