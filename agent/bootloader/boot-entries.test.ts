import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { createAgentHardware } from '../../test/fakes/agent/agent-hardware.ts';
import { parseBootListing, replaceBootEntry, staleEntries } from './boot-entries.ts';

/** Recorded output of `efibootmgr -v`, version 17, with unusual variables of every kind. */
const RECORDED = readFileSync(new URL('fixtures/efibootmgr-17.txt', import.meta.url), 'utf8');
const HD = 'HD(1,GPT,28732ac1-1ff8-d211-ba4b-00a0c93ec93b,0x800,0xa000)';

describe('a listing', () => {
  it('contains the order, the next and the current boot, and every entry', () => {
    const listing = parseBootListing(RECORDED);
    expect(listing).toMatchObject({
      next: '0001',
      current: '0001',
      order: ['001A', '0000', '0001', '0002', '001B', '001C', '001D', 'ABCD', '0020', '0021'],
    });
    expect(listing.entries.map(({ number, active, label }) => [number, active, label])).toEqual([
      ['0000', true, 'UiApp'],
      ['0001', true, 'UEFI PXEv4 (MAC:525400123456)'],
      ['0002', true, 'UEFI Samsung SSD 980 S64DNX0R 1'],
      ['001A', true, 'debian'],
      ['001B', false, 'debian'],
      ['001C', true, 'debian'],
      ['001D', true, 'Größe 日本 ™'],
      ['0020', true, 'debian 12'],
      ['0021', true, ''],
      ['ABCD', true, 'Windows Boot Manager'],
    ]);
    expect(listing.entries[3]?.path).toBe(`${HD}/File(\\EFI\\debian\\shimx64.efi)`);
    expect(listing.entries[6]?.path.length).toBeGreaterThan(300);
  });

  it.each([
    ['nothing', ''],
    ['no order', 'No BootOrder is set; firmware will attempt recovery\n'],
    ['a timeout only', 'Timeout: 3 seconds\n'],
  ])('with %s is empty', (_, text) => {
    expect(parseBootListing(text)).toEqual({ current: null, next: null, order: [], entries: [] });
  });

  it('of version 18, which adds raw device paths, has the same entries', () => {
    const text = `BootCurrent: 0001\r\nTimeout: 0 seconds\r\nBootOrder: 0001\r\nBoot0001* x\t${HD}/\\EFI\\x\\shimx64.efi\r\n      dp: 04 01 2a 00 / 7f ff 04 00\r\n    data: 42 4f\r\n`;
    expect(parseBootListing(text)).toEqual({
      current: '0001',
      next: null,
      order: ['0001'],
      entries: [{ number: '0001', active: true, label: 'x', path: `${HD}/\\EFI\\x\\shimx64.efi` }],
    });
  });

  it('without paths has none', () => {
    expect(parseBootListing('Boot0007  PXE IP4 - 1\n').entries).toEqual([
      { number: '0007', active: false, label: 'PXE IP4 - 1', path: '' },
    ]);
  });
});

it.each([
  ['debian', ['001A', '001B']],
  ['debian 12', ['0020']],
  ['deb', []],
  ['DEBIAN', []],
  ['UEFI PXEv4 (MAC:525400123456)', []],
  ['UiApp', []],
  ['', []],
])('entries of "%s" that an earlier installation made: %j', (label, numbers) => {
  expect(staleEntries(parseBootListing(RECORDED), label).map(({ number }) => number)).toEqual(numbers);
});

describe('a new entry', () => {
  const entry = {
    device: '/dev/nvme0n1',
    partition: 15,
    label: '-B; reboot $(x)',
    loader: 'EFI/a b/shimx64.efi',
  };
  const create = 'efibootmgr -q -c';

  it('passes label and loader as one argument each, whatever their text is', async () => {
    const listing = `BootOrder: 0005\nBoot0005* ${entry.label}\t${HD}/File(\\x)\n`;
    const { run, started } = createAgentHardware({ outputs: { 'efibootmgr -v': listing } });
    await replaceBootEntry(run, entry);
    expect(started).toEqual([
      ['efibootmgr', '-v'],
      ['efibootmgr', '-q', '-b', '0005', '-B'],
      [
        'efibootmgr',
        '-q',
        '-c',
        '-d',
        '/dev/nvme0n1',
        '-p',
        '15',
        '-w',
        '-L',
        entry.label,
        '-l',
        '\\EFI\\a b\\shimx64.efi',
      ],
      ['efibootmgr', '-v'],
    ]);
  });

  it.each<[string, string, Error | string, string]>([
    [
      'does not fit',
      RECORDED,
      new Error('efibootmgr -q -c failed (5): Could not prepare Boot variable: No space left on device'),
      "the firmware's variable store is full (10 boot entries)",
    ],
    ['fails otherwise', RECORDED, new Error('Read-only file system'), 'Read-only file system'],
    [
      'is forgotten by the firmware',
      RECORDED,
      '',
      'the firmware did not keep the boot entry "-B; reboot $(x)"',
    ],
    [
      'is put last by the firmware',
      `BootOrder: 0001,0005\nBoot0005* ${entry.label}\t${HD}/File(\\x)\n`,
      '',
      'is not first in the boot order: 0001,0005',
    ],
  ])('that %s is an error', async (_, listing, created, message) => {
    const { run } = createAgentHardware({ outputs: { 'efibootmgr -v': listing, [create]: created } });
    await expect(replaceBootEntry(run, entry)).rejects.toThrow(message);
  });
});
