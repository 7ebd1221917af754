import { expect, it } from 'vitest';
import { fakeContext } from '../../test/fakes/agent/command-context.ts';
import { fakeDisk, GIB } from '../../test/fakes/agent/disk.ts';
import { rememberRootDevice, rootDevice } from './written-disk.ts';

const disks = [
  fakeDisk({ name: '/dev/sda', size: 10 * GIB, serial: 'SAN' }),
  fakeDisk({ name: '/dev/sdb', size: 20 * GIB }),
  fakeDisk({ name: '/dev/sdc', size: 30 * GIB, serial: 'C' }),
];
const run = async (): Promise<string> => '';

it('is the one the hints name, until an image was written', async () => {
  const of = (properties: object): Promise<string> =>
    rootDevice(fakeContext({ run, disks, node: { properties } }));
  expect(await of({})).toBe('/dev/sda');
  expect(await of({ root_device: { serial: 'C' } })).toBe('/dev/sdc');
  expect(await of({ skip_block_devices: [{ serial: 'SAN' }] })).toBe('/dev/sdb');
  rememberRootDevice('/dev/sdb');
  expect(await of({ root_device: { serial: 'C' } })).toBe('/dev/sdb');
});
