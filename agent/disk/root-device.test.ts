import { describe, expect, it } from 'vitest';
import { fakeDisk, GIB } from '../../test/fakes/agent/disk.ts';
import { fc } from '../../test/random-cases.ts';
import { chooseRootDevice, hintsOf } from './root-device.ts';

const SMALL = fakeDisk({ name: '/dev/sda', size: 2 * GIB, serial: 'USB' });
const SYSTEM = fakeDisk({ name: '/dev/sdb', size: 100 * GIB, serial: 'SYS', rotational: false });
const TWIN = fakeDisk({ name: '/dev/sdc', size: 100 * GIB, serial: 'TWIN', rotational: false });
const DATA = fakeDisk({ name: '/dev/sdd', size: 4000 * GIB, serial: 'DATA' });
const ALL = [SMALL, SYSTEM, TWIN, DATA];

describe('without hints', () => {
  it('is the smallest disk of at least 4 GiB, the first by name among equals', () => {
    expect(chooseRootDevice(ALL, {}).name).toBe('/dev/sdb');
    expect(chooseRootDevice([fakeDisk({ size: 4 * GIB })], {}).size).toBe(4 * GIB);
  });

  it('is never a smaller disk', () => {
    expect(() => chooseRootDevice([SMALL], {})).toThrow(
      /no root device hints.*\/dev\/sda \(2\.0 GiB, serial USB\): it is smaller than 4 GiB/,
    );
  });

  it('is never a read-only disk', () => {
    expect(chooseRootDevice([{ ...SYSTEM, readOnly: true }, DATA], {}).name).toBe('/dev/sdd');
    expect(() => chooseRootDevice([{ ...SYSTEM, readOnly: true }], {})).toThrow('it is read-only');
  });
});

describe('with hints', () => {
  it('select the disk they name, however small it is', () => {
    expect(chooseRootDevice(ALL, { serial: 'USB' }).name).toBe('/dev/sda');
  });

  it('select the smallest, then the first by name, of several', () => {
    expect(chooseRootDevice(ALL, { size: '>= 50' }).name).toBe('/dev/sdb');
  });

  it('the error names every disk and the hint that it does not match', () => {
    expect(() => chooseRootDevice(ALL, { rotational: false, serial: 'GONE' })).toThrow(
      'no disk matches the root device hints (properties.root_device). ' +
        '/dev/sda (2.0 GiB, serial USB): rotational is true, wanted false; ' +
        '/dev/sdb (100.0 GiB, serial SYS): serial is "SYS", wanted "GONE"; ' +
        '/dev/sdc (100.0 GiB, serial TWIN): serial is "TWIN", wanted "GONE"; ' +
        '/dev/sdd (4000.0 GiB, serial DATA): rotational is true, wanted false. ' +
        'Correct properties.root_device, or the hardware',
    );
  });

  it('an invalid hint is rejected, also when an earlier hint excludes every disk', () => {
    expect(() => chooseRootDevice(ALL, { serial: 'GONE', size: 'huge' })).toThrow(
      'properties.root_device: hint size="huge"',
    );
  });
});

it('the error gives advice when there is no disk', () => {
  expect(() => chooseRootDevice([], {})).toThrow(/^no disk was found: the ramdisk may lack the driver/);
  expect(() => chooseRootDevice([], { serial: 'x' })).toThrow(/^no disk was found/);
});

it('does not depend on the order in which the kernel found the disks', () => {
  const hints = fc.constantFrom<Record<string, unknown>>({}, { size: '> 10' }, { rotational: false });
  fc.assert(
    fc.property(fc.shuffledSubarray(ALL, { minLength: ALL.length }), hints, (disks, wanted) => {
      expect(chooseRootDevice(disks, wanted)).toEqual(chooseRootDevice(ALL, wanted));
    }),
  );
});

describe('hints of a node', () => {
  it('come from instance_info before properties', () => {
    const properties = { root_device: { serial: 'p' } };
    expect(hintsOf({ instance_info: { root_device: { serial: 'i' } }, properties })).toEqual({ serial: 'i' });
    expect(hintsOf({ instance_info: { root_device: {} }, properties })).toEqual({ serial: 'p' });
    expect(hintsOf({ instance_info: {}, properties })).toEqual({ serial: 'p' });
    expect(hintsOf({})).toEqual({});
    expect(hintsOf(undefined)).toEqual({});
  });

  it.each(['/dev/sda', ['x'], 5])('that are not an object are rejected: %j', (hints) => {
    expect(() => hintsOf({ properties: { root_device: hints } })).toThrow(
      'properties.root_device must be an object of hints',
    );
  });
});
