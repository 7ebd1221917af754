/** Partition tables as bytes, for images that are made without other programs. */

interface Entry {
  readonly firstSector: number;
  readonly sectors: number;
  readonly name?: string;
}

const HEAD_BYTES = 256 * 1024;
const LINUX_DATA = 'af3dc60f838472478e793d69d8477de4';

export function mbrHead(entries: readonly Entry[], type = 0x83): Buffer {
  const head = Buffer.alloc(HEAD_BYTES);
  head.writeUInt16LE(0xaa55, 510);
  entries.forEach(({ firstSector, sectors }, i) => {
    head[446 + 16 * i + 4] = type;
    head.writeUInt32LE(firstSector, 446 + 16 * i + 8);
    head.writeUInt32LE(sectors, 446 + 16 * i + 12);
  });
  return head;
}

/** Without checksums; the code that verifies them is tested with real tables. */
export function gptHead(entries: readonly Entry[], sectorBytes = 512): Buffer {
  const head = mbrHead([{ firstSector: 1, sectors: 0xffffffff }], 0xee);
  head.write('EFI PART', sectorBytes, 'latin1');
  head.writeBigUInt64LE(2n, sectorBytes + 72);
  head.writeUInt32LE(128, sectorBytes + 80);
  head.writeUInt32LE(128, sectorBytes + 84);
  entries.forEach(({ firstSector, sectors, name = '' }, i) => {
    const at = 2 * sectorBytes + 128 * i;
    head.write(LINUX_DATA, at, 'hex');
    head.fill(i + 1, at + 16, at + 32);
    head.writeBigUInt64LE(BigInt(firstSector), at + 32);
    head.writeBigUInt64LE(BigInt(firstSector + sectors - 1), at + 40);
    head.write(name, at + 56, 'utf16le');
  });
  return head;
}
