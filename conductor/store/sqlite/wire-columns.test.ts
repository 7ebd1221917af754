import { expect, it } from 'vitest';
import { columnsOf } from './wire-columns.ts';

it('each field that is kept has a column of its kind; others have none', () => {
  const columns = columnsOf([
    ['uuid', 1, 'uuid', 'c'],
    ['name', 1, 'text', 'c'],
    ['driver', 1, 'required', 'c'],
    ['boot_mode', 1, 'word', 'c'],
    ['pxe_enabled', 1, 'flag', 'c'],
    ['automated_clean', 1, 'maybeFlag', 'c'],
    ['boot_index', 1, 'integer', 'c'],
    ['created_at', 1, 'time', ''],
    ['driver_info', 1, 'dict', 'c'],
    ['power_interface', 1, 'interface', 'c'],
    ['traits', 1, 'strings', ''],
    ['links', 1, 'derived', ''],
  ] as const);
  expect(columns).toEqual({
    uuid: 'text',
    name: 'text',
    driver: 'text',
    bootMode: 'text',
    pxeEnabled: 'boolean',
    automatedClean: 'boolean',
    bootIndex: 'integer',
    createdAt: 'time',
    driverInfo: 'sealed',
  });
});
