import { expect, it } from 'vitest';
import { fakeContext } from '../../test/fakes/agent/command-context.ts';
import { fakeDisk, GIB } from '../../test/fakes/agent/disk.ts';
import { rootDevice } from './written-disk.ts';

const disks = [
  fakeDisk({ name: '/dev/sda', size: 10 * GIB, serial: 'SAN' }),
  fakeDisk({ name: '/dev/sdb', size: 20 * GIB }),
  fakeDisk({ name: '/dev/sdc', size: 30 * GIB, serial: 'C' }),
];
const run = async (): Promise<string> => '';
const chosen = (properties: object, written?: string): Promise<string> =>
  rootDevice(
    fakeContext({ run, disks, node: { properties }, ...(written === undefined ? {} : { written }) }),
  );

it('is chosen by the root device hints before an image is written', async () => {
  expect(await chosen({})).toBe('/dev/sda');
  expect(await chosen({ root_device: { serial: 'C' } })).toBe('/dev/sdc');
  expect(await chosen({ skip_block_devices: [{ serial: 'SAN' }] })).toBe('/dev/sdb');
});

it('is the disk that an image was written to, whatever the hints', async () => {
  expect(await chosen({ root_device: { serial: 'C' } }, '/dev/sdb')).toBe('/dev/sdb');
});
