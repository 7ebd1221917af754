import { fieldTable } from '@ingot/shared/ironic/wire-field.ts';
import type { FastifyRequest } from 'fastify';
import { expect, it } from 'vitest';
import { selectFields, shownFields } from './field-selection.ts';

const TABLE = fieldTable([
  ['uuid', 1, 'uuid', 's'],
  ['name', 5, 'text', 'cp'],
  ['ident', 1, 'text', 'c', { hidden: true }],
  ['created_at', 1, 'time', 's', { unasked: true }],
]);
const versions = { text: (minor: number) => `1.${minor}`, headers: { applied: 'X-Version' } };
const at = (minor: number) => ({ minor, server: { microversions: versions } }) as unknown as FastifyRequest;

it('shows what was asked for, everything in detail, else the fields of the list', () => {
  expect(selectFields(at(9), { fields: ['name'] }, TABLE, ['uuid'])).toEqual(['name']);
  expect(selectFields(at(9), { detail: true }, TABLE, ['uuid'])).toBeNull();
  expect(selectFields(at(9), {}, TABLE, ['uuid'])).toEqual(['uuid']);
});

it.each([
  ['both', { fields: ['uuid'], detail: true }, "Can't fetch a subset of fields with 'detail' set"],
  ['an unknown field', { fields: ['colour'] }, 'Field(s) "colour" are not valid'],
  ['a hidden field', { fields: ['ident'] }, 'Field(s) "ident" are not valid'],
  ['one that is only shown', { fields: ['created_at'] }, 'Field(s) "created_at" are not valid'],
])('refuses %s', (_, query, text) => {
  expect(() => selectFields(at(9), query, TABLE, null)).toThrow(text);
});

it('refuses a field that is newer than the request, and does not show it', () => {
  expect(() => selectFields(at(4), { fields: ['name'] }, TABLE, null)).toThrow(
    'The field "name" needs API version 1.5',
  );
  expect(shownFields(TABLE, 4, null).map(({ wire }) => wire)).toEqual(['uuid', 'created_at']);
  expect(shownFields(TABLE, 5, ['name', 'ident']).map(({ wire }) => wire)).toEqual(['name']);
});
