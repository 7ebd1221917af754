/**
 * IPMI v1.5 session header (IPMI 2.0 table 13-8), used here only outside a session, to ask for the BMC's capabilities.
 *
 *   | authentication type 0x00 | session sequence, 4 LE | session id, 4 LE | length | message | legacy pad? |
 *
 * Authentication type 0x06 means that an RMCP+ header follows instead (session-v20.ts).
 */
import { bad, type Decoded, good, short } from './decoded.ts';

const AUTHENTICATION_NONE = 0x00;
const HEADER_BYTES = 10;

/** Wraps a message of at most 255 bytes; sequence and session id are zero outside a session. */
export function encodeSessionless(message: Buffer): Buffer {
  const header = Buffer.alloc(HEADER_BYTES);
  header[0] = AUTHENTICATION_NONE;
  header[9] = message.length;
  return Buffer.concat([header, message]);
}

export function decodeSessionless(session: Buffer): Decoded<Buffer> {
  if (session.length < HEADER_BYTES) return short('v1.5 session header', HEADER_BYTES, session.length);
  if (session[0] !== AUTHENTICATION_NONE) return bad(`authentication type ${session[0]}, not none`);
  if (session.readUInt32LE(1) !== 0 || session.readUInt32LE(5) !== 0) return bad('belongs to a v1.5 session');
  const length = session[9]!;
  const message = session.subarray(HEADER_BYTES, HEADER_BYTES + length);
  if (message.length < length) return short('v1.5 message', length, message.length);
  return good(message);
}
