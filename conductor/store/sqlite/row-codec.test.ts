import { describe, expect, it } from 'vitest';
import { MASK } from '../../domain/secrets.ts';
import { createCodec, snakeCase } from './row-codec.ts';

const COLUMNS = {
  name: 'text',
  bootIndex: 'integer',
  pxeEnabled: 'boolean',
  createdAt: 'time',
  extra: 'json',
  driverInfo: 'sealed',
  agentToken: 'secret',
} as const;
const codec = createCodec<typeof COLUMNS, Record<string, unknown>>(COLUMNS);
const NOTHING = Object.fromEntries(Object.keys(COLUMNS).map((field) => [field, null]));

it.each([
  ['id', 'id'],
  ['pxeEnabled', 'pxe_enabled'],
  ['agentLastHeartbeatAt', 'agent_last_heartbeat_at'],
])('the column of %s is %s', (field, column) => {
  expect(snakeCase(field)).toBe(column);
});

describe('a field', () => {
  const time = new Date('2026-01-01T00:00:00.123Z');

  it.each<[string, unknown, string, unknown]>([
    ['name', 'one', 'name', 'one'],
    ['name', '', 'name', ''],
    ['bootIndex', 0, 'boot_index', 0],
    ['pxeEnabled', true, 'pxe_enabled', 1],
    ['pxeEnabled', false, 'pxe_enabled', 0],
    ['createdAt', time, 'created_at', time.getTime()],
    ['extra', { a: [1, null] }, 'extra', '{"a":[1,null]}'],
    ['extra', [], 'extra', '[]'],
    ['driverInfo', { address: 'b' }, 'driver_info', '{"address":"b"}'],
    ['name', null, 'name', null],
    ['pxeEnabled', null, 'pxe_enabled', null],
    ['createdAt', null, 'created_at', null],
    ['extra', null, 'extra', null],
    ['driverInfo', null, 'driver_info', null],
    ['agentToken', null, 'agent_token', null],
  ])('%s of %j is stored in %s as %j and read back', (field, value, column, stored) => {
    const { values } = codec.encode({ [field]: value });
    expect(values).toEqual({ [column]: stored });
    expect(codec.decode(values)).toEqual({ ...NOTHING, [field]: value });
  });

  it('that is not given is not written', () => {
    expect(codec.encode({ name: undefined, bootIndex: 1 }).values).toEqual({ boot_index: 1 });
  });

  it('that has no column is refused', () => {
    expect(() => codec.encode({ colour: 'red' })).toThrow('the store has no column for the field colour');
  });
});

describe('secrets', () => {
  const record = { name: 'one', driverInfo: { ipmi_password: 'p', address: 'b' }, agentToken: 't' };
  const { values, secrets } = codec.encode(record);

  it('are in no column', () => {
    expect(values).toEqual({
      name: 'one',
      driver_info: `{"ipmi_password":"${MASK}","address":"b"}`,
      agent_token: MASK,
    });
    expect(secrets.fields).toEqual(['driverInfo', 'agentToken']);
    expect([...secrets.put]).toEqual([
      ['/driverInfo/ipmi_password', 'p'],
      ['/agentToken', 't'],
    ]);
  });

  it('are put back where they are read with the row, and masked where they are not', () => {
    expect(codec.decode(values, secrets.put)).toEqual({ ...NOTHING, ...record });
    expect(codec.decode(values)).toMatchObject({
      driverInfo: { ipmi_password: MASK, address: 'b' },
      agentToken: MASK,
    });
    expect(codec.decode(values, new Map())).toMatchObject({ agentToken: MASK });
  });

  it('go with the field that is emptied', () => {
    const { secrets: change } = codec.encode({ driverInfo: null, agentToken: null });
    expect(change).toEqual({ fields: ['driverInfo', 'agentToken'], keep: [], put: new Map() });
  });

  it('of one row do not reach the next with the same text', () => {
    const other = new Map([['/driverInfo/ipmi_password', 'q']]);
    expect(codec.decode(values, secrets.put)['driverInfo']).toMatchObject({ ipmi_password: 'p' });
    expect(codec.decode(values, other)['driverInfo']).toMatchObject({ ipmi_password: 'q' });
    expect(codec.decode(values)['driverInfo']).toMatchObject({ ipmi_password: MASK });
  });
});

it('JSON that rows share cannot be changed by one reader for another', () => {
  const row = { extra: '{"a":{"b":[1]}}' };
  const [one, other] = [codec.decode(row), codec.decode(row)] as { extra: { a: { b: number[] } } }[];
  expect(() => one!.extra.a.b.push(2)).toThrow(TypeError);
  expect(other!.extra).toEqual({ a: { b: [1] } });
  expect(codec.decode({ extra: '{"a":2}' })['extra']).toEqual({ a: 2 });
});

it('a part reads its fields only, in the order of the table, with masks', () => {
  const part = codec.part(['driverInfo', 'name']);
  expect(part.columns).toEqual(['name', 'driver_info']);
  const row = { name: 'one', driver_info: `{"ipmi_password":"${MASK}"}`, boot_index: 3 };
  expect(part.decode(row)).toEqual({ name: 'one', driverInfo: { ipmi_password: MASK } });
});

it.each([
  ['name', 'name'],
  ['bootIndex', 'boot_index'],
  ['pxeEnabled', 'pxe_enabled'],
  ['createdAt', 'created_at'],
  ['extra', undefined],
  ['driverInfo', undefined],
  ['agentToken', undefined],
  ['colour', undefined],
])('by %s one sorts with the column %s', (field, column) => {
  expect(codec.sortColumn(field)).toBe(column);
});
