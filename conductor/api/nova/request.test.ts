import type { FastifyRequest } from 'fastify';
import { describe, expect, it } from 'vitest';
import { integer, list, object, optional, type Reader, since, text } from '../kit/readers.ts';
import { boolean, named, printable, readBody, readQuery, uuid } from './request.ts';

const body = <T>(value: unknown, reader: Reader<T>, minor = 50): T =>
  readBody({ body: value, minor } as FastifyRequest, reader);
const RACK = object({
  name: named(),
  units: optional(integer(1, 42)),
  notes: since(19, optional(printable(9))),
  tags: optional(list(text({ min: 2 }))),
});

describe('a body of Nova', () => {
  it('is read by its table', () => {
    expect(body({ name: 'a', units: '7', notes: 'new' }, RACK)).toEqual({
      name: 'a',
      units: 7,
      notes: 'new',
    });
  });

  it('in the API before microversions may have spaces around names, and unknown fields', () => {
    expect(body({ name: ' a ', notes: 'new', colour: 'red' }, RACK, 0)).toEqual({ name: 'a' });
  });

  it.each<[unknown, string]>([
    [null, "None is not of type 'object'"],
    [{}, "'name' is a required property"],
    [
      { name: 'a', colour: 1, size: 2 },
      "Additional properties are not allowed ('colour', 'size' were unexpected)",
    ],
    [
      { name: 'a', units: 0 },
      'Invalid input for field/attribute units. Value: 0. 0 is less than the minimum of 1',
    ],
    [{ name: 'a', units: 43 }, '43 is greater than the maximum of 42'],
    [{ name: 'a', units: 'x' }, "'x' does not match '^[0-9]+$'"],
    [{ name: 'a', notes: 'a\u0000' }, 'does not match'],
    [{ name: 'a', tags: [{ secret: 1 }] }, "Value: {...}. {...} is not of type 'string'"],
    [{ name: 'a', tags: ['x'] }, "'x' is too short"],
    [{ name: ' a' }, "An invalid 'name' value was provided. The name must be: printable characters."],
    [{ name: 'x'.repeat(256) }, 'is too long'],
  ])('is refused in the words of its schemas: %j', (value, message) => {
    expect(() => body(value, RACK)).toThrow(message);
  });

  it('has no field that is newer than the request', () => {
    expect(() => body({ name: 'a', notes: 'new' }, RACK, 18)).toThrow("('notes' was unexpected)");
  });
});

describe('values of Nova', () => {
  const dashed = '6a8b3c1e-0000-4000-8000-00000000ffff';

  it('are UUIDs, also without dashes, and words for true and false', () => {
    for (const one of [dashed, dashed.replaceAll('-', '')]) expect(body(one, uuid)).toBe(one);
    expect(['on', 'Yes', '1', true].map((word) => body(word, boolean))).toEqual([true, true, true, true]);
    expect(['off', 'NO', '0', false].map((word) => body(word, boolean))).toEqual([
      false,
      false,
      false,
      false,
    ]);
    expect(() => body('6a8b', uuid)).toThrow("'6a8b' is not a 'uuid'");
    expect(() => body('oN', boolean)).toThrow("'oN' is not one of [True,");
    expect(() => body(1, boolean)).toThrow('1 is not one of');
  });

  it('are names with further rules', () => {
    const plain = named({ pattern: /^[a-z]+$/, rule: 'lower case.' });
    expect(body('web', plain)).toBe('web');
    expect(() => body('WEB', plain)).toThrow('The name must be: lower case.');
  });
});

describe('a query of Nova', () => {
  const query = (given: object, minor: number, strictSince?: number) =>
    readQuery({ query: given, minor } as FastifyRequest, { limit: integer() }, strictSince);

  it('is checked; the last of several values is used', () => {
    expect(query({ limit: ['1', '2'] }, 50)).toEqual({ limit: 2 });
    expect(() => query({ limit: ['x', '2'] }, 50)).toThrow(
      "Invalid input for query parameters limit. Value: x. 'x' does not match '^[0-9]+$'",
    );
  });

  it('may have unknown arguments up to a microversion', () => {
    expect(query({ colour: 'red' }, 74)).toEqual({});
    expect(() => query({ colour: 'red' }, 75)).toThrow("('colour' was unexpected)");
    expect(() => query({ colour: 'red' }, 31, 31)).toThrow("('colour' was unexpected)");
  });
});
