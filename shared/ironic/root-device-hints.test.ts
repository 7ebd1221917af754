import { describe, expect, it } from 'vitest';
import { fc } from '../../test/random-cases.ts';
import { badRootDeviceHints, isHintName, ROOT_DEVICE_HINTS, readHint } from './root-device-hints.ts';

describe('root device hints', () => {
  it.each([
    { size: 100 },
    { size: '>= 100' },
    { size: '<or> 100 <or> 200.5' },
    { rotational: false },
    { rotational: 'no' },
    { serial: 12345, wwn: '0x5002538e4 ' },
    { model: '<all-in> samsung 970', vendor: '<or> ata <or> nvme' },
    { hctl: 's!= 0:0:0:0' },
    {},
  ])('accepts %o', (hints) => {
    expect(badRootDeviceHints(hints)).toBeUndefined();
  });

  it.each([
    ['/dev/sda', ' must be an object'],
    [{ capacity: 1 }, '.capacity is no hint; hints are name'],
    [{ size: '100GB' }, '.size must be a number of GiB'],
    [{ model: '=~ x' }, '.model has an unknown operator'],
    [{ serial: '<in> ' }, '.serial has nothing after <in>'],
    [{ rotational: 'spinning' }, '.rotational must be true or false'],
    [{ name: null }, '.name must be a text'],
  ])('rejects %o with a reason', (hints, said) => {
    expect(badRootDeviceHints(hints)).toContain(said);
  });

  it('never throws on any input', () => {
    const name = fc.constantFrom(...Object.keys(ROOT_DEVICE_HINTS).filter(isHintName));
    fc.assert(
      fc.property(name, fc.anything(), fc.anything(), (hint, wanted, actual) => {
        const test = readHint(hint, wanted);
        if (typeof test !== 'string') expect(typeof test(actual as string)).toBe('boolean');
      }),
    );
  });
});
