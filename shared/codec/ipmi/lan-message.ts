/**
 * IPMI LAN message (IPMI 2.0 table 13-8, figure 13-4): a command or its answer inside a session packet.
 *
 *   request   | rsAddr | netFn, rsLUN | checksum | rqAddr | rqSeq, rqLUN | cmd | data | checksum |
 *   response  | rqAddr | netFn+1, rqLUN | checksum | rsAddr | rqSeq, rsLUN | cmd | completion code | data | checksum |
 *
 * The checksum is the two's complement of the sum of the bytes since the last one.
 */
import { bad, type Decoded, good, short } from './decoded.ts';

export interface LanRequest {
  /** Even, see NetFn. */
  readonly netFn: number;
  /** 6 bits; the answer carries the same. */
  readonly sequence: number;
  readonly command: number;
  readonly data: Buffer;
}

export interface LanResponse {
  /** The request's network function plus one. */
  readonly netFn: number;
  readonly sequence: number;
  readonly command: number;
  readonly completionCode: number;
  readonly data: Buffer;
}

/** Slave address of the BMC. */
const BMC = 0x20;
/** Software id of a remote console (table 5-4). */
const CONSOLE = 0x81;
const REQUEST_BYTES = 7;
const RESPONSE_BYTES = 8;

export function encodeLanRequest(request: LanRequest): Buffer {
  return frame(BMC, request.netFn, CONSOLE, request.sequence, request.command, request.data);
}

export function encodeLanResponse(response: LanResponse): Buffer {
  const data = Buffer.concat([Buffer.from([response.completionCode]), response.data]);
  return frame(CONSOLE, response.netFn, BMC, response.sequence, response.command, data);
}

export function decodeLanRequest(message: Buffer): Decoded<LanRequest> {
  if (message.length < REQUEST_BYTES) return short('IPMI request', REQUEST_BYTES, message.length);
  if (!isSummed(message)) return bad('IPMI request: wrong checksum');
  if (message[0] !== BMC) return bad(`IPMI request to 0x${message[0]!.toString(16)}, not the BMC`);
  if ((netFnOf(message) & 1) === 1) return bad('IPMI request with a response network function');
  return good({ ...headOf(message), data: message.subarray(6, -1) });
}

export function decodeLanResponse(message: Buffer): Decoded<LanResponse> {
  if (message.length < RESPONSE_BYTES) return short('IPMI response', RESPONSE_BYTES, message.length);
  if (!isSummed(message)) return bad('IPMI response: wrong checksum');
  if ((netFnOf(message) & 1) === 0) return bad('IPMI response with a request network function');
  return good({ ...headOf(message), completionCode: message[6]!, data: message.subarray(7, -1) });
}

function frame(to: number, netFn: number, from: number, sequence: number, command: number, data: Buffer) {
  const head = Buffer.from([to, (netFn << 2) & 0xff]);
  const body = Buffer.concat([Buffer.from([from, (sequence << 2) & 0xff, command]), data]);
  return Buffer.concat([head, Buffer.from([checksum(head)]), body, Buffer.from([checksum(body)])]);
}

const netFnOf = (message: Buffer): number => message[1]! >> 2;

const headOf = (message: Buffer) => ({
  netFn: netFnOf(message),
  sequence: message[4]! >> 2,
  command: message[5]!,
});

const sum = (bytes: Buffer): number => bytes.reduce((total, byte) => (total + byte) & 0xff, 0);
const checksum = (bytes: Buffer): number => -sum(bytes) & 0xff;
const isSummed = (message: Buffer): boolean =>
  sum(message.subarray(0, 3)) === 0 && sum(message.subarray(3)) === 0;
