/**
 * The description of an IPMI command: its number, and encoders and decoders for request and response.
 *
 * Each command file exports one such record, so that a client and a BMC use the same description.
 * Response data starts after the completion code and is present only when that code is 0x00.
 */
import type { Decoded } from './decoded.ts';

/** Network functions of requests (IPMI 2.0 table 5-1); a response has the lowest bit set. */
export const NetFn = { chassis: 0x00, app: 0x06, transport: 0x0c } as const;

export interface Command<Request, Response> {
  /** The name in the specification. */
  readonly name: string;
  readonly netFn: number;
  readonly code: number;
  /** The command-specific completion codes 0x80-0xbe. */
  readonly completionCodes?: Readonly<Record<number, string>>;
  encodeRequest(request: Request): Buffer;
  decodeRequest(data: Buffer): Decoded<Request>;
  encodeResponse(response: Response): Buffer;
  decodeResponse(data: Buffer): Decoded<Response>;
}

/** The data of a command without request or response data. */
export type Nothing = Readonly<Record<string, never>>;
export const NOTHING: Nothing = {};

export const noBytes = (): Buffer => Buffer.alloc(0);
export const ignoreBytes = (): Decoded<Nothing> => ({ ok: true, value: NOTHING });
