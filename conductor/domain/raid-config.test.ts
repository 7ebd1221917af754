import { describe, expect, it } from 'vitest';
import { parseRaidConfig } from './raid-config.ts';

const KNOWN = { size_gb: '', raid_level: '', is_root_volume: '', number_of_physical_disks: '' };
const disk = { size_gb: 100, raid_level: '1' };

describe('RAID configuration', () => {
  it('is accepted unchanged, and removed by an empty object', () => {
    const whole = {
      logical_disks: [
        { ...disk, is_root_volume: true },
        { ...disk, size_gb: 'MAX' },
      ],
    };
    expect(parseRaidConfig(whole, KNOWN)).toEqual(whole);
    expect(parseRaidConfig({}, KNOWN)).toEqual({});
  });

  it.each<[string, unknown, string]>([
    ['no object', [], 'must be an object'],
    ['another key', { colour: 1 }, '"colour" is not known'],
    ['no disks', { logical_disks: [] }, '"logical_disks" must be a list'],
    [
      'a disk without a size',
      { logical_disks: [{ raid_level: '1' }] },
      'logical_disks[0] must have "size_gb"',
    ],
    [
      'a disk without a level',
      { logical_disks: [disk, { size_gb: 1 }] },
      'logical_disks[1] must have "raid_level"',
    ],
    ['an unknown level', { logical_disks: [{ ...disk, raid_level: '99' }] }, 'raid_level must be one of'],
    ['a negative size', { logical_disks: [{ ...disk, size_gb: -1 }] }, 'size_gb must be'],
    [
      'a key the driver does not know',
      { logical_disks: [{ ...disk, controller: 'software' }] },
      'unknown key "controller"',
    ],
    [
      'two root volumes',
      {
        logical_disks: [
          { ...disk, is_root_volume: true },
          { ...disk, is_root_volume: true },
        ],
      },
      'one logical disk only',
    ],
  ])('refuses %s', (_, body, text) => {
    expect(() => parseRaidConfig(body, KNOWN)).toThrow(text);
  });
});
