import { fieldTable } from '@ingot/shared/ironic/wire-field.ts';
import type { FastifyRequest } from 'fastify';
import { describe, expect, it } from 'vitest';
import { MASK } from '../../domain/secrets.ts';
import { parseCreate, patchedFields, patchOperations } from './resource-body.ts';

const TABLE = fieldTable([
  ['uuid', 1, 'uuid', 'c'],
  ['rack_name', 5, 'text', 'cp', { maxLength: 4 }],
  ['in_use', 7, 'flag', 'cp', { strict: true }],
  ['settings', 1, 'dict', 'cp'],
  ['state', 1, 'derived', ''],
]);
const PATCHABLE = new Map(TABLE.filter((field) => field.patch).map((field) => [field.wire, field]));
const versions = { text: (minor: number) => `1.${minor}`, headers: { applied: 'X-Version' } };
const sent = (body: unknown, minor = 9) =>
  ({ body, minor, server: { microversions: versions } }) as unknown as FastifyRequest;
const create = (body: unknown, minor?: number) => parseCreate(sent(body, minor), 'rack', TABLE, ['settings']);

describe('the body of a POST', () => {
  it('becomes values of stored fields; null is as if the field were left out', () => {
    const body = { settings: { a: 1 }, rack_name: 'r1', in_use: 'yes', uuid: null };
    expect(create(body)).toEqual({ settings: { a: 1 }, rackName: 'r1', inUse: true });
  });

  it.each<[string, unknown, number, string]>([
    ['no object', [], 9, 'Schema error for rack: the body must be a JSON object'],
    [
      'an unknown field',
      { settings: {}, colour: 1 },
      9,
      "Additional properties are not allowed ('colour' can not be set here)",
    ],
    ['a field that is only shown', { settings: {}, state: 'x' }, 9, "('state' can not be set here)"],
    ['one without a required field', { rack_name: 'r' }, 9, "'settings' is a required property"],
    ['a long text', { settings: {}, rack_name: 'rack1' }, 9, 'rack_name must have at most 4 characters'],
    ['a newer field', { settings: {}, rack_name: 'r' }, 4, 'The field "rack_name" needs API version 1.5'],
    ['the empty value of a strict field', { settings: {}, in_use: false }, 6, 'needs API version 1.7'],
    [
      'a mask without a secret',
      { settings: { password: MASK } },
      9,
      'is the mask of a secret, not its value',
    ],
  ])('is refused when it is %s', (_, body, minor, text) => {
    expect(() => create(body, minor)).toThrow(text);
  });

  it('may have the empty value of a newer field that is not strict', () => {
    expect(create({ settings: {}, rack_name: null }, 4)).toEqual({ settings: {} });
  });
});

describe('the body of a PATCH', () => {
  const remove = (path: string) => [{ op: 'remove', path }];

  it('names fields that may be changed', () => {
    expect(() => patchOperations(sent(remove('/state')), PATCHABLE)).toThrow(
      'Cannot patch /state. Only the following can be updated: in_use, rack_name, settings',
    );
    expect(() => patchOperations(sent({}), PATCHABLE)).toThrow('Schema error for patch');
  });

  it('may remove a newer field, unless that one is strict', () => {
    expect(patchOperations(sent(remove('/rack_name'), 4), PATCHABLE)).toHaveLength(1);
    expect(() => patchOperations(sent(remove('/in_use'), 6), PATCHABLE)).toThrow('needs API version 1.7');
  });

  it('keeps the secrets whose masks it brings back', () => {
    const stored = { settings: { password: 'secret', a: 1 }, rack_name: 'r' };
    const operations = patchOperations(
      sent([{ op: 'replace', path: '/settings', value: { password: MASK, a: 2 } }]),
      PATCHABLE,
    );
    const [[field, value] = []] = patchedFields(stored, operations, PATCHABLE);
    expect([field?.wire, value]).toEqual(['settings', { password: 'secret', a: 2 }]);
  });
});
