/**
 * RMCP header (IPMI 2.0 section 13.1.3; DMTF ASF 2.0 section 3.2.2): the first four bytes of every datagram on port 623.
 *
 *   | version 0x06 | reserved | sequence, 0xff: no RMCP acknowledge wanted | class |
 *
 * Class: bit 7 marks an RMCP acknowledge, bits 4:0 are 6 for ASF and 7 for IPMI.
 */
import { bad, type Decoded, good, short } from './decoded.ts';

const VERSION = 0x06;
const NO_ACK = 0xff;
const CLASS_IPMI = 0x07;
const HEADER_BYTES = 4;

/** Puts the header for class IPMI before session data. */
export function encodeRmcp(session: Buffer): Buffer {
  return Buffer.concat([Buffer.from([VERSION, 0, NO_ACK, CLASS_IPMI]), session]);
}

/** The session data of an IPMI datagram. */
export function decodeRmcp(datagram: Buffer): Decoded<Buffer> {
  if (datagram.length < HEADER_BYTES) return short('RMCP header', HEADER_BYTES, datagram.length);
  if (datagram[0] !== VERSION) return bad(`RMCP version ${datagram[0]}, not ${VERSION}`);
  if (datagram[3] !== CLASS_IPMI) return bad(`RMCP class ${datagram[3]}, not IPMI`);
  return good(datagram.subarray(HEADER_BYTES));
}
