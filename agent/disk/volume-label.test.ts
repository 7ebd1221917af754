import { expect, it } from 'vitest';
import { LABEL_HEAD_BYTES, volumeLabel } from './volume-label.ts';

function head(parts: readonly (readonly [at: number, text: string])[]): Buffer {
  const bytes = Buffer.alloc(LABEL_HEAD_BYTES);
  for (const [at, text] of parts) bytes.write(text, at, 'latin1');
  return bytes;
}

it.each([
  [
    'ISO 9660',
    [
      [0x8001, 'CD001'],
      [0x8028, 'config-2'.padEnd(32)],
    ],
    'config-2',
  ],
  [
    'FAT16',
    [
      [0x36, 'FAT16   '],
      [0x2b, 'CONFIG-2   '],
    ],
    'CONFIG-2',
  ],
  [
    'FAT12',
    [
      [0x36, 'FAT12   '],
      [0x2b, 'config-2   '],
    ],
    'config-2',
  ],
  [
    'FAT32',
    [
      [0x52, 'FAT32   '],
      [0x47, 'ESP        '],
    ],
    'ESP',
  ],
  ['another file system', [[0x438, '\u0053\u00ef']], undefined],
] as const)('reads the label of %s', (_kind, parts, label) => {
  expect(volumeLabel(head(parts))).toBe(label);
});

it('reads nothing from less than a boot sector', () => {
  expect(volumeLabel(Buffer.alloc(10))).toBeUndefined();
});
