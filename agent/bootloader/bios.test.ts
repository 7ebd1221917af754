import { join } from 'node:path';
import { expect, it } from 'vitest';
import { makeTree } from '../../test/fakes/agent/file-tree.ts';
import { checkBootCode, hasBootCode } from './bios.ts';

/** A first sector with these bytes at these offsets; with a boot signature by default. */
function sector(bytes: Readonly<Record<number, number>>, signed = true): Buffer {
  const one = Buffer.alloc(512);
  for (const [at, byte] of Object.entries(bytes)) one[Number(at)] = byte;
  if (signed) one.writeUInt16LE(0xaa55, 510);
  return one;
}

it.each([
  ["GRUB's boot.img: jump, nop", sector({ 0: 0xeb, 1: 0x63, 2: 0x90 }), true],
  ['code at the very end of its area', sector({ 439: 0xf4 }), true],
  ['only a disk id and a partition', sector({ 440: 0x12, 446: 0x80, 450: 0x83 }), false],
  ['a protective MBR of a GPT without code', sector({ 450: 0xee }), false],
  ['code without a signature', sector({ 0: 0xeb }, false), false],
  ['nothing', sector({}, false), false],
])('finds boot code or not: %s', (_, bytes, found) => {
  expect(hasBootCode(bytes)).toBe(found);
});

it('reads the first sector of the disk, and gives advice when it can not boot', async () => {
  const root = makeTree({
    good: Buffer.concat([sector({ 0: 0xeb }), Buffer.alloc(4096)]),
    empty: '',
    short: 'x',
  });
  await checkBootCode(join(root, 'good'));
  for (const name of ['empty', 'short']) {
    await expect(checkBootCode(join(root, name))).rejects.toThrow(
      /has no boot code in its first sector: .* Use a BIOS image, or boot_mode:uefi in capabilities/,
    );
  }
  await expect(checkBootCode(join(root, 'missing'))).rejects.toThrow('ENOENT');
});
