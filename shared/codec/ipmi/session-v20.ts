/**
 * RMCP+ session packet (IPMI 2.0 table 13-8, "IPMI v2.0 RMCP+ session header" and trailer).
 *
 *   | 0x06 | payload type | session id, 4 LE | session sequence, 4 LE | length, 2 LE | payload |
 *   authenticated packets go on with
 *   | 0xff integrity pad, 0-3 | pad length | next header 0x07 | authentication code |
 *
 * Payload type: bit 7 encrypted, bit 6 authenticated, bits 5:0 the type. The authentication code covers
 * everything from the first byte to the next header, a multiple of four bytes.
 * This file handles the layout only; signing and encryption are in session-seal.ts.
 */
import { bad, type Decoded, good, short } from './decoded.ts';

/** Payload types (table 13-16). */
export const PayloadType = {
  ipmiMessage: 0x00,
  sol: 0x01,
  openSessionRequest: 0x10,
  openSessionResponse: 0x11,
  rakp1: 0x12,
  rakp2: 0x13,
  rakp3: 0x14,
  rakp4: 0x15,
} as const;

export interface SessionPacket {
  /** 6 bits, see PayloadType. */
  readonly payloadType: number;
  readonly encrypted: boolean;
  readonly authenticated: boolean;
  /** The receiver's session id; 0 before a session is open. */
  readonly sessionId: number;
  /** Counted per direction from 1; 0 before a session is open. */
  readonly sequence: number;
  /** As on the wire: cipher text if `encrypted`. */
  readonly payload: Buffer;
}

/** A received packet with the bytes that its authentication code covers. */
export interface ReceivedPacket extends SessionPacket {
  readonly covered: Buffer;
  /** Empty if not authenticated. */
  readonly authCode: Buffer;
}

const FORMAT_RMCP_PLUS = 0x06;
const NEXT_HEADER = 0x07;
const HEADER_BYTES = 12;
/** Pad length and next header. */
const TRAILER_BYTES = 2;
const ENCRYPTED = 0x80;
const AUTHENTICATED = 0x40;
const TYPE_MASK = 0x3f;

export const isRmcpPlus = (session: Buffer): boolean => session[0] === FORMAT_RMCP_PLUS;

/** `sign` returns the authentication code of the bytes it is given; called only if `authenticated`. */
export function encodeSessionPacket(packet: SessionPacket, sign: (covered: Buffer) => Buffer): Buffer {
  const header = Buffer.alloc(HEADER_BYTES);
  header[0] = FORMAT_RMCP_PLUS;
  header[1] =
    (packet.encrypted ? ENCRYPTED : 0) |
    (packet.authenticated ? AUTHENTICATED : 0) |
    (packet.payloadType & TYPE_MASK);
  header.writeUInt32LE(packet.sessionId, 2);
  header.writeUInt32LE(packet.sequence, 6);
  header.writeUInt16LE(packet.payload.length, 10);
  if (!packet.authenticated) return Buffer.concat([header, packet.payload]);
  const padBytes = -(HEADER_BYTES + packet.payload.length + TRAILER_BYTES) & 3;
  const trailer = Buffer.alloc(padBytes + TRAILER_BYTES, 0xff);
  trailer[padBytes] = padBytes;
  trailer[padBytes + 1] = NEXT_HEADER;
  const covered = Buffer.concat([header, packet.payload, trailer]);
  return Buffer.concat([covered, sign(covered)]);
}

/** `authCodeBytes` is the length of the session's authentication code, 0 outside a session. Nothing is verified here. */
export function decodeSessionPacket(session: Buffer, authCodeBytes: number): Decoded<ReceivedPacket> {
  if (session.length < HEADER_BYTES) return short('RMCP+ session header', HEADER_BYTES, session.length);
  if (!isRmcpPlus(session)) return bad(`authentication type ${session[0]}, not RMCP+`);
  const type = session[1]!;
  const authenticated = (type & AUTHENTICATED) !== 0;
  const payloadBytes = session.readUInt16LE(10);
  const payloadEnd = HEADER_BYTES + payloadBytes;
  if (session.length < payloadEnd) return short('RMCP+ payload', payloadEnd, session.length);
  const packet = {
    payloadType: type & TYPE_MASK,
    encrypted: (type & ENCRYPTED) !== 0,
    authenticated,
    sessionId: session.readUInt32LE(2),
    sequence: session.readUInt32LE(6),
    payload: session.subarray(HEADER_BYTES, payloadEnd),
  };
  if (!authenticated) return good({ ...packet, covered: Buffer.alloc(0), authCode: Buffer.alloc(0) });
  const coveredEnd = session.length - authCodeBytes;
  if (coveredEnd < payloadEnd + TRAILER_BYTES)
    return short('RMCP+ trailer', payloadEnd + TRAILER_BYTES, coveredEnd);
  if (session[coveredEnd - 1] !== NEXT_HEADER) return bad(`next header ${session[coveredEnd - 1]}, not 7`);
  if (payloadEnd + session[coveredEnd - 2]! + TRAILER_BYTES !== coveredEnd)
    return bad('integrity pad length does not fit');
  return good({
    ...packet,
    covered: session.subarray(0, coveredEnd),
    authCode: session.subarray(coveredEnd),
  });
}
