import { expect, it } from 'vitest';
import { fakeDisk, GIB } from '../../test/fakes/agent/disk.ts';
import { withoutSkipped } from './skip-list.ts';

const DISKS = [
  fakeDisk({ name: '/dev/sda', serial: 'SYS' }),
  fakeDisk({ name: '/dev/sdb', serial: 'SAN1', vendor: 'NETAPP', size: 500 * GIB }),
  fakeDisk({ name: '/dev/sdc', serial: 'SAN2', vendor: 'NETAPP', size: 900 * GIB }),
];

const kept = (list: unknown): string[] =>
  withoutSkipped(DISKS, { properties: { skip_block_devices: list } }).map(({ name }) => name);

it('keeps every disk that no entry matches completely', () => {
  expect(kept([{ vendor: 'netapp' }])).toEqual(['/dev/sda']);
  expect(kept([{ vendor: 'netapp', size: '> 600' }])).toEqual(['/dev/sda', '/dev/sdb']);
  expect(kept([{ serial: 'SYS' }, { serial: 'SAN2' }])).toEqual(['/dev/sdb']);
  expect(kept([{ serial: 'elsewhere' }])).toHaveLength(3);
});

it('keeps all without a list', () => {
  expect(kept([])).toHaveLength(3);
  expect(kept(null)).toHaveLength(3);
  expect(withoutSkipped(DISKS, {})).toHaveLength(3);
  expect(withoutSkipped(DISKS, { properties: {} })).toHaveLength(3);
});

it.each([
  [{ serial: 'SYS' }, 'must be a list'],
  [[{}], 'holds {}, which is not an object of hints'],
  [['/dev/sda'], 'holds "/dev/sda", which is not an object of hints'],
  [[{ serail: 'SYS' }], 'hint "serail" is not known'],
  [[{ volume_name: 'data' }], 'names the RAID volume "data": this agent cannot keep RAID volumes'],
])('refuses what it cannot understand rather than pass over it: %j', (list, said) => {
  expect(() => kept(list)).toThrow(`properties.skip_block_devices`);
  expect(() => kept(list)).toThrow(said);
});
