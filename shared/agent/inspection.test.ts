import { expect, it } from 'vitest';
import { fc } from '../../test/random-cases.ts';
import {
  decodeInspection,
  decodeInspectionAnswer,
  encodeInspection,
  encodeInspectionAnswer,
  type Inspection,
} from './inspection.ts';

const DATA: Inspection = {
  inventory: { hostname: 'h' } as Inspection['inventory'],
  bootInterface: '01-52-54-00-00-00-01',
  collectors: ['default', 'logs'],
};

it('is decoded to what was encoded: the inventory, and the rest as plugin data', () => {
  const plain = {
    boot_interface: DATA.bootInterface,
    configuration: { collectors: ['default', 'logs'], managers: [] },
  };
  expect(decodeInspection(encodeInspection(DATA))).toEqual({
    ok: true,
    value: { inventory: { hostname: 'h' }, pluginData: plain },
  });
  expect(JSON.stringify(encodeInspection({ ...DATA, logs: null, error: 'logs: no' }))).toMatch(
    /^\{"inventory":.*"managers":\[\]\},"error":"logs: no","logs":null\}$/,
  );
});

it('is rejected without an inventory, and never throws', () => {
  for (const body of [null, [], {}, { inventory: [] }, { inventory: 'x' }]) {
    expect(decodeInspection(body)).toEqual({
      ok: false,
      reason: 'Inspection data must be an object with an "inventory" object',
    });
  }
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      expect(decodeInspection(value)).toHaveProperty('ok');
      expect([null, 'string']).toContain(
        decodeInspectionAnswer(value) === null ? null : typeof decodeInspectionAnswer(value),
      );
    }),
  );
});

it('has an answer with the uuid, in either form', () => {
  expect(decodeInspectionAnswer(encodeInspectionAnswer('n'))).toBe('n');
  expect(decodeInspectionAnswer({ node: { uuid: 'n' }, config: {} })).toBe('n');
  for (const body of [null, {}, { uuid: 7 }, { node: null }]) expect(decodeInspectionAnswer(body)).toBeNull();
});
