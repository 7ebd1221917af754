import { describe, expect, it } from 'vitest';
import { camelCase } from './casing.ts';
import { applicationError, errorText, routerError } from './error-body.ts';
import { type FieldKind, parseFieldValue } from './field-values.ts';
import { badNodeName, isUuid } from './identifiers.ts';
import { NODE_FIELDS, NODE_LIST_FIELDS } from './node-fields.ts';
import { PORT_FIELDS, PORT_LIST_FIELDS } from './port-fields.ts';
import { MAX_MINOR } from './versions.ts';

describe('error bodies', () => {
  it('wrap JSON in a string', () => {
    expect(applicationError(409, 'busy')).toEqual({
      error_message: '{"faultcode":"Client","faultstring":"busy","debuginfo":null}',
    });
    expect(applicationError(500, 'broken').error_message).toContain('"faultcode":"Server"');
    expect(routerError(406, 'why')).toEqual({
      error_message: '{"code":406,"title":"Not Acceptable","description":"why"}',
    });
  });

  it.each<[unknown, string | undefined]>([
    [applicationError(400, 'text'), 'text'],
    [routerError(404), 'Not Found'],
    [routerError(406, 'why'), 'why'],
    [{ error_message: { faultstring: 'an object' } }, 'an object'],
    [{ error_message: 'plain' }, 'plain'],
    ['plain', 'plain'],
    [{}, undefined],
    [null, undefined],
    [[1], undefined],
  ])('are decoded from %j', (body, text) => {
    expect(errorText(body)).toBe(text);
  });
});

describe('names and identifiers', () => {
  it.each<[string, number, boolean]>([
    ['node-1.rack_2~a', MAX_MINOR, true],
    ['node_1', 9, false],
    ['node-1.rack', 9, true],
    ['', MAX_MINOR, false],
    ['a b', MAX_MINOR, false],
    ['a/b', MAX_MINOR, false],
    ['x'.repeat(256), MAX_MINOR, false],
    ['detail', MAX_MINOR, false],
    ['maintenance', MAX_MINOR, false],
    ['6a8b3c1e-0000-4000-8000-000000000000', MAX_MINOR, false],
  ])('"%s" at 1.%i may name a node: %s', (name, minor, good) => {
    expect(badNodeName(name, minor) === undefined).toBe(good);
  });

  it('knows a UUID', () => {
    expect(isUuid('6A8B3C1E-0000-4000-8000-000000000000')).toBe(true);
    expect(isUuid('6a8b3c1e-0000-4000-8000-00000000000')).toBe(false);
  });

  it('converts a wire name to camelCase', () => {
    expect(camelCase('target_provision_state')).toBe('targetProvisionState');
  });
});

describe('parseFieldValue', () => {
  it.each<[FieldKind, unknown, unknown]>([
    ['flag', 'yes', true],
    ['flag', 'OFF', false],
    ['flag', null, false],
    ['maybeFlag', null, null],
    ['dict', null, {}],
    ['word', null, ''],
    ['text', null, null],
    ['text', 'x', 'x'],
    ['uuid', '6A8B3C1E-0000-4000-8000-000000000000', '6a8b3c1e-0000-4000-8000-000000000000'],
  ])('%s stores %j as %j', (kind, given, value) => {
    expect(parseFieldValue(kind, given)).toEqual({ ok: true, value });
  });

  it.each<[FieldKind, unknown]>([
    ['flag', 1],
    ['flag', 'maybe'],
    ['dict', []],
    ['dict', 'x'],
    ['text', 1],
    ['text', 'x'.repeat(256)],
    ['uuid', 'x'],
    ['required', null],
    ['required', ''],
    ['interface', {}],
  ])('%s rejects %j', (kind, given) => {
    expect(parseFieldValue(kind, given).ok).toBe(false);
  });
});

describe('field tables', () => {
  it.each([
    ['node', NODE_FIELDS, NODE_LIST_FIELDS],
    ['port', PORT_FIELDS, PORT_LIST_FIELDS],
  ])('of a %s contain each field once, with a supported version', (_, fields, listed) => {
    const names = fields.map(({ wire }) => wire);
    expect(new Set(names).size).toBe(names.length);
    expect(fields.filter(({ since }) => since < 1 || since > MAX_MINOR)).toEqual([]);
    expect(names).toEqual(expect.arrayContaining([...listed]));
  });
});
