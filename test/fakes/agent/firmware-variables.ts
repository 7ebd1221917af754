/**
 * UEFI boot variables as files in efivarfs's format, so that the real efibootmgr works on a directory: four bytes of
 * attributes, then EFI_LOAD_OPTION (UEFI 2.10, 3.1.3) with device paths (UEFI 2.10, 10.3).
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

const GLOBAL_VARIABLE = '8be4df61-93ca-11d2-aa0d-00e098032b8c';
/** Non-volatile, boot service access, runtime access. */
const ATTRIBUTES = Buffer.from([7, 0, 0, 0]);
const END = Buffer.from([0x7f, 0xff, 4, 0]);

const node = (type: number, subtype: number, data: Buffer): Buffer =>
  Buffer.concat([Buffer.from([type, subtype, (data.length + 4) & 0xff, (data.length + 4) >> 8]), data]);
const hex = (text: string): Buffer => Buffer.from(text.replaceAll(/[^0-9a-f]/gi, ''), 'hex');

const PCI_ROOT = node(2, 1, hex('d041030a 00000000'));
const pci = (device: number): Buffer => node(1, 1, Buffer.from([0, device]));

/** Device paths of the entries that firmware creates itself. */
export const FIRMWARE_PATHS = {
  network: Buffer.concat([
    PCI_ROOT,
    pci(3),
    node(3, 0x0b, Buffer.concat([hex('525400123456'), Buffer.alloc(26), Buffer.from([1])])),
    node(3, 0x0c, Buffer.alloc(23)),
  ]),
  nvme: Buffer.concat([PCI_ROOT, pci(5), node(3, 0x17, hex('01000000 0025385b91b00a2f'))]),
  shell: Buffer.concat([
    node(4, 7, hex('c9bdb87cebf8344faaea3ee4af6516a1')),
    node(4, 6, hex('83a5047c3e9e1c4fad65e05268d0b4d1')),
  ]),
} as const;

/** A GPT partition and a file on it. */
export function filePath(partition: number, guid: string, file: string): Buffer {
  const place = Buffer.alloc(20);
  place.writeUInt32LE(partition, 0);
  place.writeBigUInt64LE(2048n, 4);
  place.writeBigUInt64LE(40960n, 12);
  const name = Buffer.from(`${file}\0`, 'utf16le');
  return Buffer.concat([
    node(4, 1, Buffer.concat([place, hex(guid), Buffer.from([2, 2])])),
    node(4, 4, name),
  ]);
}

export interface BootVariable {
  readonly number: number;
  readonly label: string;
  readonly path: Buffer;
  readonly active?: boolean;
}

export function writeBootVariables(
  directory: string,
  entries: readonly BootVariable[],
  extra: { readonly next?: number; readonly current?: number } = {},
): void {
  const write = (name: string, data: Buffer): void =>
    writeFileSync(join(directory, `${name}-${GLOBAL_VARIABLE}`), Buffer.concat([ATTRIBUTES, data]));
  const u16 = (...numbers: number[]): Buffer => Buffer.from(Uint16Array.from(numbers).buffer);
  for (const { number, label, path, active = true } of entries) {
    const paths = Buffer.concat([path, END]);
    const head = Buffer.from([active ? 1 : 0, 0, 0, 0, paths.length & 0xff, paths.length >> 8]);
    const name = `Boot${number.toString(16).toUpperCase().padStart(4, '0')}`;
    write(name, Buffer.concat([head, Buffer.from(`${label}\0`, 'utf16le'), paths]));
  }
  write('BootOrder', u16(...entries.map(({ number }) => number)));
  if (extra.next !== undefined) write('BootNext', u16(extra.next));
  if (extra.current !== undefined) write('BootCurrent', u16(extra.current));
}
