/**
 * DHCP messages (RFC 2131 section 2) with options (RFC 2132, overload, long options RFC 3396).
 *
 *    0 op  1 htype  2 hlen  3 hops  4 xid  8 secs  10 flags  12 ciaddr  16 yiaddr  20 siaddr  24 giaddr
 *   28 chaddr[16]  44 sname[64]  108 file[128]  236 magic 63 82 53 63  240 options...
 *
 * Pure. decodeDhcp() never throws: for an invalid packet it returns a reason.
 */
import { bad, type Decoded } from '../../decoded.ts';
export interface DhcpMessage {
  readonly op: 1 | 2;
  readonly htype: number;
  readonly hops: number;
  readonly xid: number;
  readonly secs: number;
  /** Bit 15: the client wants broadcast answers. */
  readonly flags: number;
  readonly ciaddr: string;
  readonly yiaddr: string;
  readonly siaddr: string;
  readonly giaddr: string;
  /** Hardware address, as many bytes as hlen says. */
  readonly chaddr: Buffer;
  readonly sname: string;
  readonly file: string;
  /** In the order of the packet; parts of a long option are joined. */
  readonly options: ReadonlyMap<number, Buffer>;
}

const FIXED_BYTES = 236;
const MAGIC = 0x63825363;
const PAD = 0;
const END = 255;
const OVERLOAD = 52;
/** The minimum length of a message (RFC 1542 section 2.1). */
const LEAST_BYTES = 300;

export function decodeDhcp(packet: Buffer): Decoded<DhcpMessage> {
  if (packet.length < FIXED_BYTES + 4) return bad('shorter than a DHCP message');
  const op = packet[0];
  if (op !== 1 && op !== 2) return bad(`op ${op} is neither request nor reply`);
  const hlen = packet[2] ?? 0;
  if (hlen === 0 || hlen > 16) return bad(`hardware address of ${hlen} bytes`);
  if (packet.readUInt32BE(FIXED_BYTES) !== MAGIC) return bad('no DHCP magic');
  const options = new Map<number, Buffer>();
  const reason = readOptions(packet.subarray(FIXED_BYTES + 4), options);
  if (reason !== undefined) return bad(reason);
  const overload = options.get(OVERLOAD)?.[0] ?? 0;
  const inFile = (overload & 1) !== 0;
  const inSname = (overload & 2) !== 0;
  const more =
    (inFile ? readOptions(packet.subarray(108, 236), options) : undefined) ??
    (inSname ? readOptions(packet.subarray(44, 108), options) : undefined);
  if (more !== undefined) return bad(more);
  // Option overload only describes where this packet had options.
  options.delete(OVERLOAD);
  return {
    ok: true,
    value: {
      op,
      htype: packet[1] ?? 0,
      hops: packet[3] ?? 0,
      xid: packet.readUInt32BE(4),
      secs: packet.readUInt16BE(8),
      flags: packet.readUInt16BE(10),
      ciaddr: address(packet, 12),
      yiaddr: address(packet, 16),
      siaddr: address(packet, 20),
      giaddr: address(packet, 24),
      chaddr: Buffer.from(packet.subarray(28, 28 + hlen)),
      sname: inSname ? '' : text(packet.subarray(44, 108)),
      file: inFile ? '' : text(packet.subarray(108, 236)),
      options,
    },
  };
}

/** Adds the options to the map. Returns a reason if an option extends beyond the end. */
function readOptions(bytes: Buffer, into: Map<number, Buffer>): string | undefined {
  for (let at = 0; at < bytes.length; ) {
    const code = bytes[at] as number;
    if (code === END) return undefined;
    if (code === PAD) {
      at += 1;
      continue;
    }
    const length = bytes[at + 1];
    if (length === undefined || at + 2 + length > bytes.length)
      return `option ${code} extends beyond the end`;
    const part = bytes.subarray(at + 2, at + 2 + length);
    const before = into.get(code);
    into.set(code, before === undefined ? Buffer.from(part) : Buffer.concat([before, part]));
    at += 2 + length;
  }
  return undefined;
}

export function encodeDhcp(message: DhcpMessage): Buffer {
  const head = Buffer.alloc(FIXED_BYTES + 4);
  head[0] = message.op;
  head[1] = message.htype;
  head[2] = message.chaddr.length;
  head[3] = message.hops;
  head.writeUInt32BE(message.xid, 4);
  head.writeUInt16BE(message.secs, 8);
  head.writeUInt16BE(message.flags, 10);
  for (const [at, value] of [
    [12, message.ciaddr],
    [16, message.yiaddr],
    [20, message.siaddr],
    [24, message.giaddr],
  ] as const) {
    encodeAddress(value).copy(head, at);
  }
  message.chaddr.copy(head, 28);
  head.write(message.sname.slice(0, 63), 44, 'latin1');
  head.write(message.file.slice(0, 127), 108, 'latin1');
  head.writeUInt32BE(MAGIC, FIXED_BYTES);
  const body = Buffer.concat([
    head,
    ...[...message.options].flatMap(([code, value]) => encodeOption(code, value)),
    Buffer.from([END]),
  ]);
  return body.length >= LEAST_BYTES ? body : Buffer.concat([body, Buffer.alloc(LEAST_BYTES - body.length)]);
}

/** Splits options of more than 255 bytes (RFC 3396). */
function encodeOption(code: number, value: Buffer): Buffer[] {
  const parts: Buffer[] = [];
  for (let at = 0; at === 0 || at < value.length; at += 255) {
    const part = value.subarray(at, at + 255);
    parts.push(Buffer.from([code, part.length]), part);
  }
  return parts;
}

const address = (packet: Buffer, at: number): string => [...packet.subarray(at, at + 4)].join('.');
const text = (bytes: Buffer): string =>
  bytes.toString('latin1', 0, bytes.includes(0) ? bytes.indexOf(0) : bytes.length);

/** Four bytes of a dotted address. */
export function encodeAddress(dotted: string): Buffer {
  return Buffer.from(dotted.split('.').map(Number));
}

export function decodeAddress(bytes: Buffer | undefined): string | undefined {
  return bytes?.length === 4 ? [...bytes].join('.') : undefined;
}
