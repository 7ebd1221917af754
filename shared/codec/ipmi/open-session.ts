/**
 * RMCP+ Open Session (IPMI 2.0 sections 13.17 and 13.18): the two ends agree on ids and on a cipher suite.
 *
 *   request   | tag | max privilege | 0 0 | console session id, 4 LE | authentication | integrity | confidentiality |
 *   response  | tag | status | max privilege | 0 | console session id | BMC session id | the same three |
 *   each algorithm   | 0, 1 or 2 | 0 0 | 8 | algorithm, 6 bits | 0 0 0 |
 *
 * A response with a status other than 0 ends after the console session id, or earlier.
 */
import { bad, type Decoded, good, short } from './decoded.ts';

export interface Algorithms {
  readonly authentication: number;
  readonly integrity: number;
  readonly confidentiality: number;
}

export interface OpenSessionRequest {
  /** Chosen by the console, returned in every answer of the handshake. */
  readonly tag: number;
  /** 0: the highest the cipher suite allows. */
  readonly maxPrivilege: number;
  readonly consoleSessionId: number;
  readonly algorithms: Algorithms;
}

export type OpenSessionResponse =
  | {
      readonly tag: number;
      readonly status: 0;
      readonly maxPrivilege: number;
      readonly consoleSessionId: number;
      readonly bmcSessionId: number;
      readonly algorithms: Algorithms;
    }
  | { readonly tag: number; readonly status: number; readonly consoleSessionId: number };

export type OpenSessionAccepted = Extract<OpenSessionResponse, { status: 0 }>;

const REQUEST_BYTES = 32;
const RESPONSE_BYTES = 36;
const ALGORITHM_BYTES = 8;
const ALGORITHM_MASK = 0x3f;

export function encodeOpenSessionRequest(request: OpenSessionRequest): Buffer {
  const head = Buffer.alloc(8);
  head[0] = request.tag;
  head[1] = request.maxPrivilege;
  head.writeUInt32LE(request.consoleSessionId, 4);
  return Buffer.concat([head, encodeAlgorithms(request.algorithms)]);
}

export function decodeOpenSessionRequest(bytes: Buffer): Decoded<OpenSessionRequest> {
  if (bytes.length < REQUEST_BYTES) return short('Open Session Request', REQUEST_BYTES, bytes.length);
  const algorithms = decodeAlgorithms(bytes.subarray(8));
  if (!algorithms.ok) return algorithms;
  return good({
    tag: bytes[0]!,
    maxPrivilege: bytes[1]! & 0x0f,
    consoleSessionId: bytes.readUInt32LE(4),
    algorithms: algorithms.value,
  });
}

export const isAccepted = (response: OpenSessionResponse): response is OpenSessionAccepted =>
  response.status === 0;

export function encodeOpenSessionResponse(response: OpenSessionResponse): Buffer {
  const head = Buffer.alloc(8);
  head[0] = response.tag;
  head[1] = response.status;
  head.writeUInt32LE(response.consoleSessionId, 4);
  if (!isAccepted(response)) return head;
  head[2] = response.maxPrivilege;
  const id = Buffer.alloc(4);
  id.writeUInt32LE(response.bmcSessionId);
  return Buffer.concat([head, id, encodeAlgorithms(response.algorithms)]);
}

export function decodeOpenSessionResponse(bytes: Buffer): Decoded<OpenSessionResponse> {
  if (bytes.length < 2) return short('Open Session Response', 2, bytes.length);
  const [tag, status] = [bytes[0]!, bytes[1]!];
  if (status !== 0) {
    return good({ tag, status, consoleSessionId: bytes.length >= 8 ? bytes.readUInt32LE(4) : 0 });
  }
  if (bytes.length < RESPONSE_BYTES) return short('Open Session Response', RESPONSE_BYTES, bytes.length);
  const algorithms = decodeAlgorithms(bytes.subarray(12));
  if (!algorithms.ok) return algorithms;
  return good({
    tag,
    status,
    maxPrivilege: bytes[2]! & 0x0f,
    consoleSessionId: bytes.readUInt32LE(4),
    bmcSessionId: bytes.readUInt32LE(8),
    algorithms: algorithms.value,
  });
}

function encodeAlgorithms(algorithms: Algorithms): Buffer {
  const ids = [algorithms.authentication, algorithms.integrity, algorithms.confidentiality];
  return Buffer.from(ids.flatMap((id, type) => [type, 0, 0, ALGORITHM_BYTES, id & ALGORITHM_MASK, 0, 0, 0]));
}

function decodeAlgorithms(bytes: Buffer): Decoded<Algorithms> {
  for (const type of [0, 1, 2]) {
    const at = type * ALGORITHM_BYTES;
    if (bytes[at] !== type) return bad(`algorithm payload ${type} has type ${bytes[at]}`);
    // Length 0 in a request lets the BMC choose. It is neither sent nor accepted here.
    if (bytes[at + 3] !== ALGORITHM_BYTES)
      return bad(`algorithm payload ${type} has length ${bytes[at + 3]}`);
  }
  return good({
    authentication: bytes[4]! & ALGORITHM_MASK,
    integrity: bytes[12]! & ALGORITHM_MASK,
    confidentiality: bytes[20]! & ALGORITHM_MASK,
  });
}
