import { describe, expect, it } from 'vitest';
import type { Image } from '../../domain/compute.ts';
import type { Tenant } from '../../identity/tenant.ts';
import type { QueryValues } from '../kit/query-values.ts';
import { pageOf } from './image-query.ts';

const uuidOf = (id: number): string => `00000000-0000-4000-8000-00000000000${id}`;
const at = (minute: number): Date => new Date(Date.UTC(2026, 0, 1, 0, minute));
const image = (id: number, name: string, more: Partial<Image> = {}): Image =>
  ({
    ...{ id, uuid: uuidOf(id), name, owner: 'red', visibility: 'private', status: 'active', members: [] },
    ...{ tags: [], properties: {}, isHidden: false, isProtected: false, sizeBytes: null, diskFormat: 'raw' },
    ...{ containerFormat: 'bare', minDiskGb: 0, minRamMb: 0, createdAt: at(id), updatedAt: null },
    ...more,
  }) as Image;
const sharedWith = (memberId: string, status: 'pending' | 'accepted'): Partial<Image> => ({
  owner: 'blue',
  visibility: 'shared',
  members: [{ memberId, status, createdAt: '', updatedAt: '' }],
});

const ALL: readonly Image[] = [
  image(1, 'a', { sizeBytes: 10, tags: ['old'], properties: { os: 'linux' } }),
  image(2, 'b', { sizeBytes: 20, diskFormat: 'iso', isProtected: true, updatedAt: at(30) }),
  image(3, 'c,d', { visibility: 'public', owner: 'blue' }),
  image(4, 'hidden', { isHidden: true }),
  image(5, 'others', { owner: 'blue' }),
  image(6, 'common', { owner: 'blue', visibility: 'community' }),
  image(7, 'offered', sharedWith('red', 'pending')),
  image(8, 'taken', sharedWith('red', 'accepted')),
];
const red: Tenant = { projectId: 'red', userId: 'ann', isAdmin: false, isMember: true };
const admin: Tenant = { ...red, isAdmin: true };
const page = (query: QueryValues, tenant = red, max = 100) => pageOf(ALL, query, tenant, max);
const ids = (query: QueryValues, tenant = red) =>
  page(query, tenant)
    .images.map(({ id }) => id)
    .join('');

describe('a list of images', () => {
  it.each<[string, QueryValues, Tenant, string]>([
    ['own, public and accepted ones, newest first', {}, red, '8321'],
    ['all but community and hidden ones for administrators', {}, admin, '875321'],
    ['offered ones', { member_status: 'pending' }, red, '7321'],
    ['offered and accepted ones', { member_status: 'all', visibility: 'shared' }, red, '87'],
    ['community ones that are asked for', { visibility: 'community' }, red, '6'],
    ['hidden ones that are asked for', { os_hidden: 'true' }, red, '4'],
    ['of every visibility', { visibility: 'all' }, red, '86321'],
  ])('has %s', (_, query, tenant, found) => {
    expect(ids(query, tenant)).toBe(found);
  });

  it.each<[QueryValues, string]>([
    [{ name: 'a' }, '1'],
    [{ name: 'in:a,"c,d"' }, '31'],
    [{ disk_format: 'in:iso,qcow2' }, '2'],
    [{ visibility: 'private', protected: 'True' }, '2'],
    [{ tag: 'old' }, '1'],
    [{ os: 'linux' }, '1'],
    [{ colour: 'red' }, ''],
    [{ size_min: '10', size_max: '15' }, '1'],
    [{ id: `in:${uuidOf(1)},${uuidOf(3)}` }, '31'],
    [{ id: 'x' }, ''],
    [{ created_at: 'lte:2026-01-01T00:02:00Z' }, '21'],
    [{ created_at: '2026-01-01T01:02:00+01:00' }, '2'],
    [{ created_at: ['gt:2026-01-01T00:01:00', 'neq:2026-01-01T00:03:00'] }, '82'],
    [{ updated_at: 'gte:2026-01-01T00:30:00Z' }, '2'],
  ])('is filtered by %j', (query, found) => {
    expect(ids(query)).toBe(found);
  });

  it.each<[QueryValues, string]>([
    [{ sort: 'name:asc' }, '1238'],
    [{ sort: 'disk_format:asc,name' }, '2831'],
    [{ sort_key: ['disk_format', 'name'], sort_dir: ['asc', 'desc'] }, '2831'],
    [{ sort_key: ['disk_format', 'name'], sort_dir: 'asc' }, '2138'],
    [{ sort_key: 'size' }, '2183'],
    [{ sort_dir: 'asc' }, '1238'],
  ])('is sorted by %j; equals by creation', (query, found) => {
    expect(ids(query)).toBe(found);
  });

  it('has pages, whose marker may be any image that the caller sees', () => {
    expect(page({ limit: '2' })).toMatchObject({ images: [{ id: 8 }, { id: 3 }], next: uuidOf(3) });
    expect(page({ limit: '2', marker: uuidOf(3) }).next).toBeUndefined();
    expect(page({}, red, 1).images).toHaveLength(1);
    expect(ids({ marker: uuidOf(6) })).toBe('321');
    expect(page({ limit: '0' })).toEqual({ images: [] });
  });

  it.each<[QueryValues, string]>([
    [{ visibility: 'x' }, 'Invalid visibility value'],
    [{ member_status: 'x' }, 'member_status must be one of pending, accepted, rejected, all.'],
    [{ os_hidden: 'x' }, 'os_hidden must be true or false.'],
    [{ size_min: '-1' }, 'size_min must be a whole number'],
    [{ created_at: 'gt:yesterday' }, 'created_at must be a time in ISO 8601'],
    [{ limit: '-1' }, 'limit must be a whole number, 0 or more.'],
    [{ marker: uuidOf(5) }, 'Invalid marker: there is no such image.'],
    [{ sort: 'password' }, 'Invalid sort key'],
    [{ sort: 'name:up' }, 'Invalid sort direction'],
    [{ sort: 'name', sort_key: 'name' }, 'sort cannot be combined'],
    [{ sort_key: 'name', sort_dir: ['asc', 'asc'] }, 'Number of sort dirs does not match'],
  ])('refuses %j', (query, text) => {
    expect(() => page(query)).toThrow(text);
  });
});
