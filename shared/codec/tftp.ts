/**
 * TFTP packets (RFC 1350) with options (RFC 2347).
 *
 *   RRQ 1, WRQ 2 | filename 0 | mode 0 | (option 0 value 0)*
 *   DATA 3 | block | data     ACK 4 | block     ERROR 5 | code | message 0     OACK 6 | (option 0 value 0)*
 *
 * Pure; decodeTftp never throws: for an invalid packet it returns a reason.
 */
import { bad, type Decoded, good } from '../decoded.ts';
export const TftpError = {
  undefined: 0,
  notFound: 1,
  accessViolation: 2,
  illegal: 4,
  unknownTransfer: 5,
  refusedOptions: 8,
} as const;

export type TftpPacket =
  | {
      readonly op: 'rrq' | 'wrq';
      readonly filename: string;
      readonly mode: string;
      readonly options: ReadonlyMap<string, string>;
    }
  | { readonly op: 'data'; readonly block: number; readonly data: Uint8Array }
  | { readonly op: 'ack'; readonly block: number }
  | { readonly op: 'error'; readonly code: number; readonly message: string }
  | { readonly op: 'oack'; readonly options: ReadonlyMap<string, string> };

export function decodeTftp(packet: Buffer): Decoded<TftpPacket> {
  if (packet.length < 4) return bad('shorter than any packet');
  const opcode = packet.readUInt16BE(0);
  switch (opcode) {
    case 1:
    case 2: {
      const [filename, mode, ...rest] = strings(packet.subarray(2)) ?? [];
      if (filename === undefined || mode === undefined || rest.length % 2 !== 0)
        return bad('request without name, mode or pairs of options');
      return good({
        op: opcode === 1 ? 'rrq' : 'wrq',
        filename,
        mode: mode.toLowerCase(),
        options: pairs(rest),
      });
    }
    case 3:
      return good({ op: 'data', block: packet.readUInt16BE(2), data: packet.subarray(4) });
    case 4:
      return good({ op: 'ack', block: packet.readUInt16BE(2) });
    case 5:
      return good({
        op: 'error',
        code: packet.readUInt16BE(2),
        message: strings(packet.subarray(4))?.[0] ?? '',
      });
    case 6: {
      const fields = strings(packet.subarray(2));
      return fields === undefined || fields.length % 2 !== 0
        ? bad('options not in pairs')
        : good({ op: 'oack', options: pairs(fields) });
    }
    default:
      return bad(`unknown opcode ${opcode}`);
  }
}

export function encodeTftp(packet: TftpPacket): Buffer {
  switch (packet.op) {
    case 'rrq':
    case 'wrq':
      return join(
        packet.op === 'rrq' ? 1 : 2,
        Buffer.from(`${packet.filename}\0${packet.mode}\0${flat(packet.options)}`, 'latin1'),
      );
    case 'data':
      return join(3, u16(packet.block), packet.data);
    case 'ack':
      return join(4, u16(packet.block));
    case 'error':
      return join(5, u16(packet.code), Buffer.from(`${packet.message}\0`, 'latin1'));
    case 'oack':
      return join(6, Buffer.from(flat(packet.options), 'latin1'));
  }
}

const flat = (options: ReadonlyMap<string, string>): string =>
  [...options].map(([key, value]) => `${key}\0${value}\0`).join('');
const join = (opcode: number, ...parts: Uint8Array[]): Buffer => Buffer.concat([u16(opcode), ...parts]);

function u16(value: number): Buffer {
  const bytes = Buffer.allocUnsafe(2);
  bytes.writeUInt16BE(value & 0xffff);
  return bytes;
}

/** NUL-terminated strings; undefined when the last is not terminated. */
function strings(bytes: Buffer): string[] | undefined {
  if (bytes.length === 0 || bytes[bytes.length - 1] !== 0) return undefined;
  return bytes.subarray(0, -1).toString('latin1').split('\0');
}

/** Option names are not case-sensitive (RFC 2347). */
function pairs(list: readonly string[]): Map<string, string> {
  const found = new Map<string, string>();
  for (let i = 0; i + 1 < list.length; i += 2) found.set(list[i]!.toLowerCase(), list[i + 1]!);
  return found;
}
