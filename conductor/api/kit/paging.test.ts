import { fieldTable } from '@ingot/shared/ironic/wire-field.ts';
import type { FastifyRequest } from 'fastify';
import { describe, expect, it } from 'vitest';
import { nextUrl, parsePage } from './paging.ts';

const FIELDS = fieldTable([
  ['rack_name', 7, 'text', 's'],
  ['extra', 1, 'dict', 'cp'],
]);
const versions = { text: (minor: number) => `1.${minor}`, headers: { applied: 'X-Version' } };
const at = (minor: number, query: object = {}) =>
  ({ minor, query, server: { microversions: versions } }) as unknown as FastifyRequest;

describe('a page of a list', () => {
  it('is as large as allowed and in the order of creation, unless the query says otherwise', () => {
    expect(parsePage(at(9), {}, FIELDS, 100)).toEqual({ limit: 100, sortKey: 'id', sortDir: 'asc' });
    const query = { limit: 5, marker: 'm', sort_key: 'rack_name', sort_dir: 'desc' };
    expect(parsePage(at(9), query, FIELDS, 100)).toEqual({
      limit: 5,
      marker: 'm',
      sortKey: 'rackName',
      sortDir: 'desc',
    });
    expect(parsePage(at(9), { limit: 500 }, FIELDS, 100).limit).toBe(100);
  });

  it.each([
    ['a limit of none', { limit: 0 }, 'Limit must be positive'],
    ['a direction that is none', { sort_dir: 'up' }, 'Invalid sort direction: up'],
    ['a field that can not be sorted by', { sort_key: 'extra' }, 'is an invalid field for sorting'],
    ['an unknown field', { sort_key: 'colour' }, 'is an invalid field for sorting'],
  ])('refuses %s', (_, query, text) => {
    expect(() => parsePage(at(9), query, FIELDS, 100)).toThrow(text);
  });

  it('refuses to sort by a field that is newer than the request', () => {
    expect(() => parsePage(at(6), { sort_key: 'rack_name' }, FIELDS, 100)).toThrow(
      'The sort_key "rack_name" needs API version 1.7, this request uses 1.6. Send X-Version: 1.7 or newer.',
    );
  });

  it('links to the next one, with its filters, when it is full', () => {
    const request = at(9, { owner: 'me', limit: '2' });
    const link = nextUrl(request, 'http://h/v1/nodes', { limit: 2 }, [{ uuid: 'a' }, { uuid: 'b' }]);
    expect(link).toBe('http://h/v1/nodes?owner=me&limit=2&marker=b');
    expect(nextUrl(request, 'http://h/v1/nodes', { limit: 2 }, [{ uuid: 'a' }])).toBeUndefined();
    expect(nextUrl(request, 'http://h/v1/nodes', { limit: 2 }, [])).toBeUndefined();
  });
});
