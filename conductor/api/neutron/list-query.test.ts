import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../domain/json.ts';
import type { QueryValues } from '../kit/query-values.ts';
import { listOf, onlyFields } from './list-query.ts';

const ATTRIBUTES = ['id', 'name', 'mtu', 'shared', 'subnets', 'tags', 'gateway', 'binding'];
const item = (id: string, more: JsonObject): JsonObject => ({ id, tags: [], shared: false, ...more });
const ITEMS = [
  item('1', { name: 'c', mtu: 1500, tags: ['blue', 'old'], gateway: null, subnets: ['s1', 's2'] }),
  item('2', { name: 'a', mtu: 900, tags: ['blue'], gateway: '10.0.0.1', shared: true, binding: {} }),
  item('3', {
    name: 'b',
    mtu: 1500,
    fixed_ips: [
      { ip_address: '10.0.0.5', subnet_id: 's1' },
      { ip_address: '10.1.0.5', subnet_id: 's2' },
    ],
  }),
];
const list = (query: QueryValues) => listOf(ITEMS, query, ATTRIBUTES);
const ids = (query: QueryValues) =>
  list(query)
    .items.map(({ id }) => id)
    .join('');

describe('a list of Neutron', () => {
  it.each<[QueryValues, string]>([
    [{}, '123'],
    [{ name: 'a' }, '2'],
    [{ name: ['a', 'b'] }, '23'],
    [{ name: 'a', mtu: '1500' }, ''],
    [{ mtu: '1500' }, '13'],
    [{ shared: 'True' }, '2'],
    [{ shared: 'no' }, '13'],
    [{ gateway: '' }, '1'],
    [{ gateway: 'null' }, '1'],
    [{ subnets: 's2' }, '1'],
    [{ binding: '[object Object]' }, ''],
    [{ tags: 'blue,old' }, '1'],
    [{ 'tags-any': 'old,new' }, '1'],
    [{ 'not-tags': 'blue,old' }, '23'],
    [{ 'not-tags-any': 'blue,old' }, '3'],
    [{ fixed_ips: 'ip_address=10.0.0.5' }, '3'],
    [{ fixed_ips: ['ip_address=10.0.0.5', 'ip_address=10.9.9.9'] }, '3'],
    [{ fixed_ips: ['ip_address=10.0.0.5', 'subnet_id=s2'] }, ''],
    [{ fixed_ips: 'ip_address_substr=1.0' }, '3'],
  ])('is filtered by any attribute, of which several values are any of them: %j', (query, found) => {
    expect(ids(query)).toBe(found);
  });

  it.each<[QueryValues, string]>([
    [{ sort_key: 'name' }, '231'],
    [{ sort_key: 'name', sort_dir: 'desc' }, '132'],
    [{ sort_key: ['mtu', 'name'], sort_dir: ['desc', 'asc'] }, '312'],
    [{ sort_dir: 'desc' }, '123'],
    [{ sort_key: 'name', limit: '2' }, '23'],
    [{ limit: '0' }, '123'],
    [{ marker: '1', limit: '1' }, '2'],
    [{ marker: '3', page_reverse: 'True', limit: '1' }, '2'],
    [{ page_reverse: 'True', limit: '2' }, '23'],
  ])('is sorted and cut into pages: %j', (query, found) => {
    expect(ids(query)).toBe(found);
  });

  it('links to the pages around it, if it has a limit', () => {
    const { next, previous } = list({ limit: '1', marker: '1', name: ['a', 'b', 'c'] });
    expect(next).toBe('limit=1&name=a&name=b&name=c&marker=2');
    expect(previous).toBe('limit=1&name=a&name=b&name=c&marker=2&page_reverse=True');
    expect(list({ marker: '1' })).toMatchObject({ next: null, previous: null });
    expect(list({ limit: '5' })).toMatchObject({ next: null, previous: null });
  });

  it('shows the requested fields', () => {
    expect(list({ fields: ['id', 'name,colour'], name: 'a' }).items).toEqual([{ id: '2', name: 'a' }]);
    expect(onlyFields({ id: '1', name: 'c' }, [])).toEqual({ id: '1', name: 'c' });
  });

  it.each<[QueryValues, string]>([
    [{ colour: 'red', size: '1' }, "'colour', 'size' is invalid attribute for filtering"],
    [{ fixed_ips: '10.0.0.5' }, "fixed_ips '10.0.0.5' is not KEY=VALUE"],
    [{ sort_key: ['name', 'x'] }, 'x is invalid attribute for sort_keys'],
    [{ sort_key: 'name', sort_dir: ['asc', 'asc'] }, 'The number of sort_keys and sort_dirs must be same'],
    [{ sort_key: 'name', sort_dir: 'up' }, 'sort_dir must be asc or desc, not up'],
    [{ limit: '-1' }, "Limit must be an integer 0 or greater and not '-1'"],
    [{ marker: 'x' }, 'marker x is not in the list'],
    [{ marker: '1', name: 'a' }, 'marker 1 is not in the list'],
  ])('refuses %j', (query, text) => {
    expect(() => list(query)).toThrow(text);
  });
});
