import { describe, expect, it } from 'vitest';
import type { Image } from '../../domain/compute.ts';
import type { Tenant } from '../../identity/tenant.ts';
import { parseNewImage, patchOf } from './image-change.ts';

const UUID = '00000000-0000-4000-8000-00000000000A';
const NEW_UUID = '00000000-0000-4000-8000-00000000000b';
const red: Tenant = { projectId: 'red', userId: 'ann', isAdmin: false, isMember: true };
const admin: Tenant = { ...red, isAdmin: true };
const make = (body: unknown, tenant = red) => parseNewImage(body, tenant, () => NEW_UUID);
const stored = {
  ...{ uuid: 'i1', status: 'active', name: 'web', diskFormat: 'raw', tags: ['a'], visibility: 'private' },
  ...{ owner: 'red', properties: { os: 'linux' } },
} as unknown as Image;
const patch = (operations: unknown, image = stored) => patchOf(operations, image, red);
const change = (op: string, path: string, value?: unknown) => [{ op, path, value }];

describe('a new image', () => {
  it('has the fields of the body, and its other names as properties', () => {
    expect(make({ id: UUID, name: 'web', min_disk: 5, tags: ['a', 'a'], os: 'linux' })).toEqual({
      ...{ uuid: UUID.toLowerCase(), visibility: 'shared', owner: 'red', name: 'web', minDiskGb: 5 },
      ...{ tags: ['a'], properties: { os: 'linux' } },
    });
    expect(make({})).toEqual({ uuid: NEW_UUID, visibility: 'shared', owner: 'red' });
  });

  it.each<[unknown, string, string]>([
    [[], 'invalidParameter', 'The body must be a JSON object'],
    [{ id: 'x' }, 'invalidParameter', 'id must be a UUID'],
    [{ min_ram: -1 }, 'invalidParameter', 'min_ram must be from 0'],
    [{ os: 5 }, 'invalidParameter', 'the property os must be a string'],
    [{ 'a\nb': 'x' }, 'invalidParameter', 'The name of a property'],
    [{ status: 'active' }, 'forbidden', "Attribute 'status' is read-only."],
    [{ locations: 'x' }, 'forbidden', "Attribute 'locations' is reserved"],
    [{ os_glance_x: 'x' }, 'forbidden', 'names that begin with os_glance are'],
    [{ visibility: 'public' }, 'forbidden', 'Only administrators may make an image public.'],
    [{ owner: 'blue' }, 'forbidden', "owned by 'blue'"],
  ])('%j is refused', (body, code, text) => {
    expect(() => make(body)).toThrow(
      expect.objectContaining({ code, message: expect.stringContaining(text) }),
    );
  });

  it('has at most 128 tags and 128 properties', () => {
    const names = Array.from({ length: 129 }, (_, index) => `n${index}`);
    const tooLarge = (what: string) =>
      expect.objectContaining({ code: 'tooLarge', message: `An image may have 128 ${what}.` });
    expect(() => make({ tags: names })).toThrow(tooLarge('tags'));
    expect(() => make(Object.fromEntries(names.map((name) => [name, ''])))).toThrow(tooLarge('properties'));
  });

  it('may be public, or belong to another project, only for administrators', () => {
    expect(make({ visibility: 'public', owner: 'blue' }, admin)).toMatchObject({ owner: 'blue' });
  });
});

describe('a patch of an image', () => {
  it.each([
    [change('replace', '/name', 'db'), { name: 'db' }],
    [change('add', '/tags/-', 'b'), { tags: ['a', 'b'] }],
    [change('add', '/colour', 'red'), { properties: { os: 'linux', colour: 'red' } }],
    [change('remove', '/os'), { properties: {} }],
    [[...change('add', '/x', '1'), ...change('remove', '/os')], { properties: { x: '1' } }],
    [change('replace', '/disk_format', 'raw'), { diskFormat: 'raw' }],
  ])('%j changes %j', (operations, changed) => {
    expect(patch(operations)).toEqual(changed);
  });

  it('changes the formats only while the image waits for its data', () => {
    const operations = change('replace', '/disk_format', 'iso');
    expect(() => patch(operations)).toThrow('can be only replaced for a queued image');
    expect(patch(operations, { ...stored, status: 'queued' })).toEqual({ diskFormat: 'iso' });
  });

  it.each<[unknown, string, string]>([
    [{}, 'invalidParameter', 'Invalid patch'],
    [change('replace', '/tags/0', 'b'), 'invalidParameter', 'Fields of images have no parts.'],
    [change('remove', '/name'), 'forbidden', 'Property name may not be removed.'],
    [change('replace', '/status', 'queued'), 'forbidden', 'read-only'],
    [change('replace', '/colour', 'red'), 'conflict', 'Property colour does not exist.'],
    [change('remove', '/colour'), 'conflict', 'Property colour does not exist.'],
    [change('replace', '/visibility', 'public'), 'forbidden', 'Only administrators'],
  ])('%j is refused', (operations, code, text) => {
    expect(() => patch(operations)).toThrow(
      expect.objectContaining({ code, message: expect.stringContaining(text) }),
    );
  });
});
