import { expect, it } from 'vitest';
import { eraseMemo, unerasedDisks } from './erase-check.ts';
import type { JsonObject } from './json.ts';
import type { StepRecord } from './steps.ts';

const disk = (name: string, serial: string | null = null, wwn: string | null = null) => ({
  name,
  serial,
  wwn,
});
const left = (disks: readonly JsonObject[], erased: readonly JsonObject[], properties: JsonObject = {}) => {
  const steps = [{ memo: {} }, { memo: { erased } }] as unknown as StepRecord[];
  return unerasedDisks({ steps }, { disks }, properties);
};

it('compares disks by WWN, else by serial number, else by path', () => {
  expect(left([disk('/dev/sda', 'S', 'W1')], [disk('/dev/sda', 'S', 'W2')])).toEqual(['/dev/sda (serial S)']);
  expect(left([disk('/dev/sda', 'S', 'W1')], [disk('/dev/sdb', 'T', 'W1')])).toEqual([]);
  expect(left([disk('/dev/sda', 'S')], [disk('/dev/sdb', 'S', 'W1')])).toEqual([]);
  expect(left([disk('/dev/sda', 'S')], [disk('/dev/sda', 'T')])).toEqual(['/dev/sda (serial S)']);
  // As ironic-python-agent reports.
  expect(left([disk('/dev/sda', 'S'), disk('/dev/sdb')], [disk('/dev/sda')])).toEqual([
    '/dev/sdb (serial unknown)',
  ]);
});

it('names every disk when nothing was reported', () => {
  const disks = [disk('/dev/sda', 'S1'), disk('/dev/sdb', 'S2')];
  expect(unerasedDisks({ steps: [] }, { disks }, {})).toHaveLength(2);
  expect(unerasedDisks({ steps: [] }, {}, {})).toEqual([]);
});

it('leaves out disks of the skip list and software RAID', () => {
  const disks = [{ ...disk('/dev/sda', 'S1'), size: 10 * 1024 ** 3 }, disk('/dev/md0')];
  const skip = (...list: JsonObject[]) => ({ skip_block_devices: list });
  expect(left(disks, [], skip({ serial: 's1' }))).toEqual([]);
  expect(left(disks, [], skip({ size: '>= 5' }))).toEqual([]);
  expect(left(disks, [], skip({ size: '>= 5', serial: 'other' }, { volume_name: 'md0' }, {}))).toHaveLength(
    1,
  );
  expect(left([{ name: '/dev/sdb' }], [], skip({ rotational: true }))).toEqual(['/dev/sdb (serial unknown)']);
  expect(() => left(disks, [], skip({ colour: 'red' }))).toThrow('properties.skip_block_devices');
});

it('remembers the results of erase steps only', () => {
  const result = { clean_result: { '/dev/sda': { serial: 'S', wwn: null } } };
  expect(eraseMemo('erase_devices', result)).toEqual({ erased: [disk('/dev/sda', 'S')] });
  expect(eraseMemo('erase_devices', null)).toEqual({ erased: [] });
  expect(eraseMemo('burnin_cpu', result)).toBeUndefined();
});
