import { describe, expect, it } from 'vitest';
import {
  anyObject,
  byMinor,
  dictionary,
  either,
  flag,
  integer,
  list,
  mapped,
  nullable,
  object,
  oneOf,
  openObject,
  optional,
  type Place,
  prepared,
  type Reader,
  readArguments,
  since,
  text,
  until,
  uuid,
  type Words,
  wholeNumber,
  wordsOf,
} from './readers.ts';

const WORDS: Words = {
  type: (_, { types }) => `not ${types.join(' or ')}`,
  required: (_, { name }) => `no ${name}`,
  unexpected: (_, { names }) => `also ${names.join()}`,
  short: (_, { limit }) => `under ${limit}`,
  long: (_, { limit }) => `over ${limit}`,
  pattern: (_, { source }) => `unlike ${source}`,
  range: (_, { min, max }) => `not from ${min} to ${max}`,
  choice: (_, { choices }) => `none of ${choices.join()}`,
  format: (_, { format }) => `no ${format}`,
};
const placeOf = (path: string, minor: number): Place => ({
  minor,
  isLenient: minor === 0,
  inside: (name) => placeOf(`${path}/${name}`, minor),
  refuse(value, fault) {
    throw new Error(`${path}: ${wordsOf(WORDS, value, fault)}`);
  },
});
const read = <T>(reader: Reader<T>, value: unknown, minor = 1): T => reader.read(value, placeOf('', minor));

const FLAVOR = object({
  name: text({ min: 1, max: 4 }),
  ram: optional(integer(1, 9)),
  description: since(5, optional(nullable(text()))),
  old: until(4, optional(flag)),
});

it('an open object passes over fields that it does not know, and needs its own', () => {
  const reader = openObject({ name: text() });
  expect(reader.read({ name: 'a', colour: 'red' }, placeOf('', 1))).toEqual({ name: 'a' });
  expect(() => reader.read({ colour: 'red' }, placeOf('', 1))).toThrow('no name');
  expect(reader.schema).toEqual({
    type: 'object',
    properties: { name: { type: 'string' } },
    required: ['name'],
  });
});

describe('a reader of objects', () => {
  it('gives what is there', () => {
    expect(read(FLAVOR, { name: 'bm', ram: '7', old: true })).toEqual({ name: 'bm', ram: 7, old: true });
    expect(read(FLAVOR, { name: 'bm', description: null }, 5)).toEqual({ name: 'bm', description: null });
  });

  it.each([
    [null, 1, ': not object'],
    [[], 1, ': not object'],
    [{}, 1, ': no name'],
    [{ name: 'bm', size: 1 }, 1, ': also size'],
    [{ name: 'bm', description: '' }, 4, ': also description'],
    [{ name: 'bm', old: true }, 5, ': also old'],
    [{ name: '' }, 1, '/name: under 1'],
    [{ name: 'large' }, 1, '/name: over 4'],
    [{ name: 'bm', ram: 10 }, 1, '/ram: not from 1 to 9'],
    [{ name: 'bm', ram: '-1' }, 1, '/ram: unlike ^[0-9]+$'],
    [{ name: 'bm', ram: 1.5 }, 1, '/ram: not integer or string'],
  ])('refuses %j at %i: %s', (value, minor, text) => {
    expect(() => read(FLAVOR, value, minor)).toThrow(text);
  });

  it('passes over what it does not know where that is so', () => {
    expect(read(FLAVOR, { name: 'bm', size: 1 }, 0)).toEqual({ name: 'bm' });
  });

  it('has a schema with the microversions of its fields', () => {
    expect(FLAVOR.schema).toEqual({
      type: 'object',
      properties: {
        name: { type: 'string', minLength: 1, maxLength: 4 },
        ram: { type: ['integer', 'string'], minimum: 1, maximum: 9, pattern: '^[0-9]+$' },
        description: { type: ['null', 'string'], 'x-since': 5 },
        old: { type: 'boolean', 'x-until': 4 },
      },
      required: ['name'],
      additionalProperties: false,
    });
  });
});

describe('other readers', () => {
  const LISTED = list(oneOf(['a', 'b']), { min: 1, max: 2 });
  it.each<[Reader<unknown>, unknown, string]>([
    [LISTED, [], ': under 1'],
    [LISTED, ['a', 'b', 'a'], ': over 2'],
    [LISTED, ['a', 'c'], '/1: none of a,b'],
    [LISTED, 'a', ': not array'],
    [dictionary(/^[a-z]$/, flag), { A: true }, ': also A'],
    [dictionary(/^[a-z]$/, flag), { a: 'yes' }, '/a: not boolean'],
    [uuid, 'x', ': no uuid'],
    [wholeNumber(0, 1), '1', ': not integer'],
    [anyObject, [], ': not object'],
    [text({ pattern: /^x/ }), 'y', ': unlike ^x'],
    [mapped(text(), (value, at) => (value === 'x' ? at.refuse(value, 'no x') : value)), 'x', ': no x'],
  ])('refuse what is not theirs', (reader, value, text) => {
    expect(() => read(reader, value)).toThrow(text);
  });

  it('read by microversion, by type, and after a change of form', () => {
    const reader = byMinor<unknown>((minor) => (minor < 5 ? text() : flag));
    expect([read(reader, 'x', 4), read(reader, true, 5)]).toEqual(['x', true]);
    expect(reader.schema).toEqual({ type: 'boolean' });
    const one = either((value) => typeof value === 'string', text(), wholeNumber(0, 9));
    expect([read(one, 'x'), read(one, 3)]).toEqual(['x', 3]);
    expect(
      read(
        prepared((value) => value ?? [], LISTED),
        ['b'],
      ),
    ).toEqual(['b']);
    expect(nullable(oneOf(['a'])).schema).toEqual({ enum: [null, 'a'] });
  });
});

describe('arguments of a query', () => {
  const known = { limit: integer(), name: text({ max: 3 }) };
  const arguments_ = (query: object) => readArguments(query, known, (name) => placeOf(name, 1));
  it('are all checked, and the last counts', () => {
    expect(arguments_({ limit: ['1', '2'], other: 'x' })).toEqual({ limit: 2 });
    expect(() => arguments_({ name: ['long', 'x'] })).toThrow('name: over 3');
  });
});
