import { type FieldKind, parseFieldValue } from '@ingot/shared/ironic/field-values.ts';
import { fieldTable } from '@ingot/shared/ironic/wire-field.ts';
import Fastify from 'fastify';
import { describe, expect, it } from 'vitest';
import { answerSchema, createSchema, listSchema, objectSchema, patchSchema } from './field-schema.ts';
import type { JsonSchema } from './route-doc.ts';

const TABLE = fieldTable([
  ['uuid', 1, 'uuid', 'cs'],
  ['name', 1, 'required', 'cp', { maxLength: 2 }],
  ['in_use', 6, 'flag', 'cp'],
  ['secret', 2, 'text', 'c', { hidden: true }],
  ['created_at', 1, 'time', 's'],
]);

async function takes(schema: JsonSchema, payload: unknown): Promise<boolean> {
  const app = Fastify({
    ajv: { customOptions: { coerceTypes: false, removeAdditional: false, strict: false } },
  });
  app.post('/', { schema: { body: schema } }, async () => ({}));
  const headers = { 'content-type': 'application/json' };
  const answer = await app.inject({ method: 'POST', url: '/', headers, payload: JSON.stringify(payload) });
  return answer.statusCode === 200;
}

describe('the body of a POST', () => {
  it('has the fields that may be given, with limits, versions and what is required', () => {
    expect(createSchema('Rack', TABLE, ['name'])).toEqual({
      title: 'RackCreate',
      type: 'object',
      properties: {
        uuid: { type: ['string', 'null'], format: 'uuid' },
        name: { type: 'string', minLength: 1, maxLength: 2 },
        in_use: { type: ['boolean', 'string', 'null'], description: expect.any(String), 'x-since': 6 },
        secret: { type: ['string', 'null'], maxLength: 255, 'x-since': 2 },
      },
      required: ['name'],
      additionalProperties: false,
    });
  });

  it('may have null for what is not required, and only for that', () => {
    const typesOf = (required: readonly string[]) =>
      Object.values(createSchema('Rack', TABLE, required)['properties'] as Record<string, JsonSchema>).map(
        ({ type }) => type,
      );
    expect(typesOf([])).toEqual([
      ['string', 'null'],
      ['string', 'null'],
      ['boolean', 'string', 'null'],
      ['string', 'null'],
    ]);
    expect(typesOf(['uuid', 'name'])[0]).toBe('string');
  });

  it('leaves fields that are not written as they are', () => {
    const [time] = fieldTable([['at', 1, 'time', 'c']]);
    expect(createSchema('Rack', [time!], [])['properties']).toEqual({ at: { readOnly: true } });
  });

  it.each<[FieldKind, unknown]>([
    ['text', 'ab'],
    ['text', 'abc'],
    ['text', 1],
    ['word', 'abc'],
    ['required', ''],
    ['required', 'ab'],
    ['flag', true],
    ['flag', 'yes'],
    ['flag', 1],
    ['maybeFlag', false],
    ['uuid', '1be26c0b-03f2-4d2e-ae87-c02d7f33c123'],
    ['uuid', 'r1'],
    ['dict', {}],
    ['dict', []],
    ['integer', 3],
    ['integer', 1.5],
    ['integer', '3'],
    ['strings', ['ab']],
    ['strings', ['abc']],
    ['strings', 'ab'],
    ['objects', [{}]],
    ['objects', ['a']],
  ])('takes the values that the field takes: %s %j', async (kind, value) => {
    const fields = fieldTable([['field', 1, kind, 'c', { maxLength: 2 }]]);
    const isTaken = await takes(createSchema('Rack', fields, ['field']), { field: value });
    expect(isTaken).toBe(parseFieldValue(kind, value, 2).ok);
  });
});

describe('the body of a PATCH', () => {
  it.each<[unknown, boolean]>([
    [[{ op: 'add', path: '/name', value: 'r1' }], true],
    [[{ op: 'replace', path: '/in_use/a~1b/0', value: null }], true],
    [[{ op: 'remove', path: '/name' }], true],
    [[], true],
    [{ op: 'remove', path: '/name' }, false],
    [[{ op: 'move', path: '/name' }], false],
    [[{ op: 'remove' }], false],
    [[{ path: '/name' }], false],
    [[{ op: 'remove', path: '/uuid' }], false],
    [[{ op: 'remove', path: '/names' }], false],
    [[{ op: 'remove', path: '/name/~2' }], false],
    [[{ op: 'remove', path: '/name', from: '/in_use' }], false],
  ])('%j: %s', async (body, isTaken) => {
    const schema = patchSchema('Rack', TABLE);
    expect(schema['title']).toBe('RackPatch');
    expect(await takes(schema, body)).toBe(isTaken);
  });
});

describe('an answer', () => {
  const links = { title: 'Links', type: 'array' };
  it('shows all fields but hidden ones, and links', () => {
    const shape = answerSchema('Rack', TABLE, { shelves: 4, doors: 1 });
    expect(shape).toMatchObject({ title: 'Rack', type: 'object', additionalProperties: false });
    expect(shape).not.toHaveProperty('required');
    const { links: own, shelves, doors, ...fields } = shape['properties'] as Record<string, JsonSchema>;
    expect(fields).toEqual({
      uuid: { type: ['string', 'null'], format: 'uuid' },
      name: { type: 'string' },
      in_use: { type: 'boolean', 'x-since': 6 },
      created_at: { type: ['string', 'null'], format: 'date-time' },
    });
    expect(own).toMatchObject(links);
    expect(shelves).toEqual({ allOf: [own], 'x-since': 4 });
    expect(doors).toEqual({ allOf: [own] });
  });

  it('of a list has a key for its items, and the next page when there is one', async () => {
    const schema = listSchema('racks', { type: 'string' });
    for (const [page, isTaken] of [
      [{ racks: ['a'] }, true],
      [{ racks: [], next: 'http://api' }, true],
      [{ racks: [1] }, false],
      [{ next: 'http://api' }, false],
      [{ racks: [], more: 1 }, false],
    ] as const)
      expect([page, await takes(schema, page)]).toEqual([page, isTaken]);
  });

  it('that is one object has all its properties', () => {
    const properties = { name: { type: 'string' }, units: { type: 'integer' } };
    expect(objectSchema(properties)).toEqual({ type: 'object', properties, required: ['name', 'units'] });
  });
});
