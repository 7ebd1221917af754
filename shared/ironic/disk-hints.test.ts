import { describe, expect, it } from 'vitest';
import { fakeDisk, GIB } from '../../test/fakes/agent/disk.ts';
import { firstMismatch, parseHints } from './disk-hints.ts';

const DISK = fakeDisk({
  name: '/dev/sdb',
  model: 'ST1000NX0313 9TM Fast',
  vendor: 'ATA',
  serial: 'Z1D5ABCD',
  wwn: '0x5000c500a1b2c3d4',
  wwn_with_extension: '0x5000c500a1b2c3d4aabbccdd',
  wwn_vendor_extension: '0xaabbccdd',
  hctl: '1:0:0:3',
  by_path: '/dev/disk/by-path/pci-0000:00:1f.2-ata-2',
  tran: 'sata',
  size: 953 * GIB + GIB / 2,
  rotational: true,
});

const matches = (hints: Record<string, unknown>): boolean =>
  firstMismatch(DISK, parseHints(hints)) === undefined;

describe('a size hint, in GiB', () => {
  it.each([
    ['= 900', true],
    ['=954', false],
    ['== 953', true],
    ['== 954', false],
    ['!= 953', false],
    ['!= 20', true],
    ['>= 953', true],
    ['>= 954', false],
    ['<= 954', true],
    ['<= 953', false],
    ['> 953', true],
    ['> 954', false],
    ['< 954', true],
    ['< 953', false],
    [953, true],
    [954, false],
    ['953', true],
    ['<or> 20 <or> 953', true],
    ['<or> 20 <or> 30', false],
  ])('%s: %s', (size, expected) => {
    expect(matches({ size })).toBe(expected);
  });

  it.each(['big', '100 GB', '-5', '~ 100', '', '<or> 20 <or> big'])('refuses %j by name', (size) => {
    expect(() => parseHints({ size })).toThrow(/^properties.root_device: hint size=/);
  });
});

describe('a text hint, whatever its case', () => {
  it.each([
    ['serial', 'z1d5abcd', true],
    ['serial', 's== Z1D5ABCD', true],
    ['serial', 's== Z1D5', false],
    ['serial', 's!= Z1D5ABCD', false],
    ['serial', 's!= other', true],
    ['serial', 's< Z2', true],
    ['serial', 's< A', false],
    ['serial', 's<= z1d5abcd', true],
    ['serial', 's> A', true],
    ['serial', 's>= Z2', false],
    ['model', '<in> 9TM', true],
    ['model', '<in> SSD', false],
    ['model', '<all-in> ST1000NX0313 fast', true],
    ['model', '<all-in> ST1000NX0313 slow', false],
    ['model', '<or> other <or> st1000nx0313 9tm fast', true],
    ['model', '<or> other <or> another', false],
    ['model', 'ST1000NX0313 9TM Fast ', true],
    ['vendor', 'ata', true],
    ['name', '/dev/sdb', true],
    ['name', '<or> /dev/sda <or> /dev/sdc', false],
    ['wwn', '0x5000C500A1B2C3D4', true],
    ['wwn_with_extension', '0x5000c500a1b2c3d4aabbccdd', true],
    ['wwn_vendor_extension', '0xaabbccdd', true],
    ['hctl', '1:0:0:3', true],
    ['hctl', '1:0:0:0', false],
    ['by_path', '/dev/disk/by-path/pci-0000:00:1f.2-ata-2', true],
    ['tran', 'sata', true],
  ])('%s %s: %s', (name, wanted, expected) => {
    expect(matches({ [name]: wanted })).toBe(expected);
  });

  it('accepts a serial of digits that is a JSON number', () => {
    const disk = fakeDisk({ serial: '12345' });
    expect(firstMismatch(disk, parseHints({ serial: 12345 }))).toBeUndefined();
  });

  it.each(['s==', '<in>', '<or>', '<or> <or>', '', ' ', '== x', '<any> x', '!= x'])(
    'refuses %j by name',
    (serial) => {
      expect(() => parseHints({ serial })).toThrow(/^properties.root_device: hint serial=/);
    },
  );
});

describe('the rotational hint', () => {
  it.each([
    [true, true],
    ['true', true],
    ['Yes', true],
    ['1', true],
    [false, false],
    ['off', false],
  ])('%j: %s', (rotational, expected) => {
    expect(matches({ rotational })).toBe(expected);
  });

  it('rejects what is neither true nor false', () => {
    expect(() => parseHints({ rotational: 'spinning' })).toThrow(
      'properties.root_device: hint rotational="spinning" cannot be understood: it must be true or false',
    );
  });
});

describe('hints', () => {
  it('must all match, and the error names the first mismatch', () => {
    expect(matches({ vendor: 'ata', size: '>= 900', rotational: true })).toBe(true);
    expect(firstMismatch(DISK, parseHints({ vendor: 'ata', size: '> 1000', serial: 'x' }))).toBe(
      'size is 953.5 GiB, wanted "> 1000"',
    );
  });

  it('do not match an unknown property of a disk, not even with inequality', () => {
    const unknown = fakeDisk({ serial: null });
    expect(firstMismatch(unknown, parseHints({ serial: 's!= x' }))).toBe('serial is unknown, wanted "s!= x"');
  });

  it.each([
    [{ serail: 'x' }, 'properties.root_device: hint "serail"'],
    [{ serial: { in: 'x' } }, 'properties.root_device: hint serial='],
    [{ size: null }, 'properties.root_device: hint size='],
  ])('that cannot be understood are refused: %j', (hints, said) => {
    expect(() => parseHints(hints)).toThrow(said);
  });
});
