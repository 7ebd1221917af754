import { expect, it } from 'vitest';
import { fc } from '../../test/random-cases.ts';
import type { Json } from '../json.ts';
import { decodeEraseReport, encodeEraseReport, reportsErasing } from './erase-report.ts';

const DISKS = [
  { name: '/dev/sda', serial: 'S1', wwn: '0x5' },
  { name: '/dev/sdb', serial: null, wwn: null },
];

it('is decoded to what was encoded', () => {
  const result = { clean_result: encodeEraseReport(DISKS), clean_step: {} };
  expect(decodeEraseReport('clean', result)).toEqual(DISKS);
  expect(decodeEraseReport('service', result)).toEqual([]);
});

it('of ironic-python-agent has only paths', () => {
  expect(decodeEraseReport('clean', { clean_result: { '/dev/sda': null } })).toEqual([
    { name: '/dev/sda', serial: null, wwn: null },
  ]);
  expect([reportsErasing('erase_devices'), reportsErasing('burnin_cpu')]).toEqual([true, false]);
});

it('has no disks in a result of another form, and never throws', () => {
  for (const result of [null, 'x', [], { clean_result: null }, { clean_result: ['/dev/sda'] }])
    expect(decodeEraseReport('clean', result)).toEqual([]);
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      expect(decodeEraseReport('clean', { clean_result: value as Json })).toBeInstanceOf(Array);
    }),
  );
});
