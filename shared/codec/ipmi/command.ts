/**
 * The shape of an IPMI command: its number and the four directions of its data.
 *
 * Each command file exports one such record, so that a client and a BMC use the same description.
 * Response data starts after the completion code and is present only when that code is 0x00.
 */
import type { Decoded } from './decoded.ts';

/** Network functions of requests (IPMI 2.0 table 5-1); a response has the lowest bit set. */
export const NetFn = { chassis: 0x00, app: 0x06, transport: 0x0c } as const;

export interface Command<Request, Response> {
  /** As the specification names it. */
  readonly name: string;
  readonly netFn: number;
  readonly code: number;
  /** Completion codes 0x80-0xbe with a meaning of this command's own. */
  readonly completionCodes?: Readonly<Record<number, string>>;
  encodeRequest(request: Request): Buffer;
  decodeRequest(data: Buffer): Decoded<Request>;
  encodeResponse(response: Response): Buffer;
  decodeResponse(data: Buffer): Decoded<Response>;
}

/** What a command without request or response data carries. */
export type Nothing = Readonly<Record<string, never>>;
export const NOTHING: Nothing = {};

export const noBytes = (): Buffer => Buffer.alloc(0);
export const ignoreBytes = (): Decoded<Nothing> => ({ ok: true, value: NOTHING });
