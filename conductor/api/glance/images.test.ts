/** Records of images, through the API. */
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { admin, member, reader } from '../../../test/fakes/compute/cloud.ts';
import {
  createTestImageService,
  PATCH,
  type TestImageService,
} from '../../../test/fakes/compute/test-image-service.ts';
import { rawDisk } from '../../../test/fakes/image-files.ts';

const red = member('red');
let test: TestImageService;
beforeAll(async () => {
  test = await createTestImageService();
});
afterAll(() => test.close());

const namesOf = async (query: string, as = member('blue')) => {
  const { status, body } = await test.call('GET', `/v2/images${query}`, undefined, as);
  expect(status).toBe(200);
  return body.images.map(({ name }: { name: string }) => name);
};

describe('discovery', () => {
  it.each([
    ['', 300],
    ['/', 300],
    ['/versions', 200],
    ['/v2', 300],
  ])('GET /image%s names the versions', async (path, status) => {
    const answer = await test.call('GET', path);
    expect(answer.status).toBe(status);
    expect(answer.body.versions[0]).toEqual({
      id: 'v2.7',
      status: 'CURRENT',
      links: [{ rel: 'self', href: 'http://cloud.test/image/v2/' }],
    });
  });

  it('has schemas, ways to import, and one store', async () => {
    const { body } = await test.call('GET', '/v2/schemas/image');
    expect(body.properties.disk_format.enum).toContain('qcow2');
    expect(body.properties.status.readOnly).toBe(true);
    const uuid = await test.create({ os_distro: 'debian' });
    for (const [name, value] of Object.entries(await test.show(uuid)))
      if (name !== 'os_distro') expect(body.properties, `${name} = ${String(value)}`).toHaveProperty(name);
    expect((await test.call('GET', '/v2/schemas/members')).status).toBe(200);
    expect((await test.call('GET', '/v2/info/import')).body['import-methods'].value).toEqual([
      'web-download',
    ]);
    expect((await test.call('GET', '/v2/info/stores')).status).toBe(404);
  });
});

describe('making images', () => {
  it('shows the given fields, and the derived ones', async () => {
    const id = randomUUID();
    const made = await test.call('POST', '/v2/images', {
      id,
      name: 'web',
      disk_format: 'qcow2',
      container_format: 'bare',
      min_disk: 10,
      tags: ['a', 'b', 'a'],
      hw_architecture: 'x86_64',
      protected: true,
    });
    expect(made.status).toBe(201);
    expect(made.headers['location']).toBe(`http://cloud.test/image/v2/images/${id}`);
    expect(made.headers['openstack-image-import-methods']).toBe('web-download');
    expect(made.body).toEqual({
      hw_architecture: 'x86_64',
      name: 'web',
      visibility: 'shared',
      owner: 'blue',
      protected: true,
      os_hidden: false,
      disk_format: 'qcow2',
      container_format: 'bare',
      min_disk: 10,
      min_ram: 0,
      tags: ['a', 'b'],
      id,
      status: 'queued',
      size: null,
      virtual_size: null,
      checksum: null,
      os_hash_algo: null,
      os_hash_value: null,
      created_at: expect.stringMatching(/^2030-01-01T00:\d\d:\d\dZ$/),
      updated_at: made.body.created_at,
      self: `/v2/images/${id}`,
      file: `/v2/images/${id}/file`,
      schema: '/v2/schemas/image',
    });
    expect(await test.show(id)).toEqual(made.body);
    expect((await test.call('POST', '/v2/images', { id })).status).toBe(409);
  });

  it.each([
    [[], 400, 'must be a JSON object'],
    ['"text"', 400, 'must be a JSON object'],
    [{ id: 'me' }, 400, 'id must be a UUID'],
    [{ id: null }, 400, 'id must be a UUID'],
    [{ name: 5 }, 400, 'name must be of type null or string'],
    [{ name: 'x'.repeat(256) }, 400, 'name must have 255 characters at most'],
    [{ disk_format: 'exe' }, 400, 'disk_format must be one of'],
    [{ min_ram: -1 }, 400, 'min_ram must be from 0'],
    [{ min_disk: 1.5 }, 400, 'min_disk must be of type integer'],
    [{ min_disk: 2 ** 31 }, 400, 'min_disk must be from 0'],
    [{ tags: ['a', 5] }, 400, 'tags has an item that must be of type string'],
    [{ visibility: 'secret' }, 400, 'visibility must be one of'],
    [{ visibility: 'public' }, 403, 'Only administrators'],
    [{ owner: 'red' }, 403, "not permitted to create images owned by 'red'"],
    [{ owner: null }, 403, 'not permitted'],
    [{ status: 'active' }, 403, "'status' is read-only"],
    [{ size: 5 }, 403, "'size' is read-only"],
    [{ locations: [] }, 403, "'locations' is reserved"],
    [{ os_glance_import_error: 'x' }, 403, 'reserved'],
    [{ hw_x: 5 }, 400, 'hw_x must be a string'],
    [{ hw_x: null }, 400, 'hw_x must be a string'],
    [{ 'a\nb': 'x' }, 400, 'The name of a property'],
    [{ hw_x: '\ud800' }, 400, 'must be a string'],
    ['{"__proto__": "x"}', 400, ''],
    ['{', 400, ''],
  ])('refuses %j', async (body, status, text) => {
    const before = (await test.library.records.all()).length;
    const answer = await test.call('POST', '/v2/images', body);
    expect(answer.status).toBe(status);
    expect(answer.body.error).toMatchObject({ code: status, message: expect.stringContaining(text) });
    expect(await test.library.records.all()).toHaveLength(before);
  });

  it('has room for 128 tags and 128 properties', async () => {
    const names = Array.from({ length: 129 }, (_, index) => `p${index}`);
    const properties = Object.fromEntries(names.map((name) => [name, '']));
    for (const body of [{ tags: names }, properties])
      expect((await test.call('POST', '/v2/images', body)).status).toBe(413);
  });

  it('is allowed only for members', async () => {
    expect((await test.call('POST', '/v2/images', {}, reader('blue'))).status).toBe(403);
    expect((await test.app.inject({ method: 'POST', url: '/image/v2/images' })).statusCode).toBe(401);
  });
});

describe('changing images', () => {
  it('adds, replaces and removes', async () => {
    const uuid = await test.create({ os_distro: 'debian', arch: 'x' });
    const { status, body } = await test.patch(uuid, [
      { op: 'replace', path: '/name', value: 'db' },
      { op: 'add', path: '/hw~1x', value: 'y' },
      { op: 'add', path: '/os_distro', value: 'ubuntu' },
      { op: 'remove', path: '/arch' },
      { op: 'replace', path: '/tags', value: ['a'] },
      { op: 'add', path: '/tags/-', value: 'b' },
      { op: 'replace', path: '/disk_format', value: 'qcow2' },
    ]);
    expect(status).toBe(200);
    expect(body).toMatchObject({ name: 'db', 'hw/x': 'y', os_distro: 'ubuntu', tags: ['a', 'b'] });
    expect(body).not.toHaveProperty('arch');
    expect(body.disk_format).toBe('qcow2');
    expect(body.updated_at > body.created_at).toBe(true);
  });

  it.each([
    [{}, 400, 'a patch is a JSON array'],
    [[{ op: 'move', path: '/name', from: '/x' }], 400, 'Invalid patch'],
    [[{ op: 'add', path: '/name' }], 400, 'needs a "value"'],
    [[{ op: 'add', path: '/a/b', value: '' }], 400, 'Invalid JSON pointer'],
    [[{ op: 'add', path: '/__proto__', value: '' }], 400, 'not allowed'],
    [[{ op: 'replace', path: '/status', value: 'active' }], 403, 'read-only'],
    [[{ op: 'remove', path: '/id' }], 403, 'read-only'],
    [[{ op: 'remove', path: '/name' }], 403, 'may not be removed'],
    [[{ op: 'replace', path: '/no', value: 'x' }], 409, 'does not exist'],
    [[{ op: 'remove', path: '/toString' }], 409, 'does not exist'],
    [[{ op: 'replace', path: '/visibility', value: 'public' }], 403, 'Only administrators'],
    [[{ op: 'replace', path: '/owner', value: 'red' }], 403, 'not permitted'],
    [[{ op: 'replace', path: '/protected', value: 'yes' }], 400, 'must be of type boolean'],
  ])('refuses %j, and nothing of it is done', async (operations, status, text) => {
    const uuid = await test.create();
    const before = await test.show(uuid);
    const first = { op: 'replace', path: '/name', value: 'changed' };
    const patch = Array.isArray(operations) ? [first, ...operations] : operations;
    const answer = await test.patch(uuid, patch);
    expect(answer.status).toBe(status);
    expect(answer.body.error.message).toContain(text);
    expect(await test.show(uuid)).toEqual(before);
  });

  it('accepts only the media types of patches', async () => {
    const uuid = await test.create();
    const answer = await test.call('PATCH', `/v2/images/${uuid}`, []);
    expect(answer.status).toBe(415);
    const older = 'application/openstack-images-v2.0-json-patch';
    expect(answer.headers['accept-patch']).toBe(`${PATCH['content-type']}, ${older}`);
    expect((await test.patch(uuid, '{')).status).toBe(400);
    expect((await test.patch(uuid, '')).status).toBe(400);
    const rename = (patch: unknown) =>
      test.call('PATCH', `/v2/images/${uuid}`, patch, undefined, { 'content-type': older });
    expect((await rename([{ replace: '/name', value: 'old way' }])).body.name).toBe('old way');
    expect((await rename([{ op: 'replace', path: '/name', value: 'x' }])).status).toBe(400);
  });

  it('keeps simultaneous changes of two clients', async () => {
    const uuid = await test.create();
    const names = Array.from({ length: 10 }, (_, index) => `p${index}`);
    await Promise.all(names.map((name) => test.patch(uuid, [{ op: 'add', path: `/${name}`, value: name }])));
    expect(await test.show(uuid)).toMatchObject(Object.fromEntries(names.map((name) => [name, name])));
  });

  it('does not change the format of existing data', async () => {
    const uuid = await test.create();
    await test.upload(uuid, rawDisk());
    const to = (value: string) => test.patch(uuid, [{ op: 'replace', path: '/disk_format', value }]);
    expect((await to('qcow2')).status).toBe(403);
    expect((await to('raw')).status).toBe(200);
  });

  it('tags', async () => {
    const uuid = await test.create({ tags: ['a'] });
    const tag = (method: string, name: string) => test.call(method, `/v2/images/${uuid}/tags/${name}`);
    expect((await tag('PUT', 'b%20c')).status).toBe(204);
    expect((await tag('PUT', 'b%20c')).status).toBe(204);
    expect((await tag('DELETE', 'a')).status).toBe(204);
    expect((await tag('DELETE', 'a')).status).toBe(404);
    expect((await tag('PUT', 'x'.repeat(256))).status).toBe(400);
    expect((await test.show(uuid)).tags).toEqual(['b c']);
  });
});

describe('access to images', () => {
  it.each([
    ['private', 404, 404],
    ['shared', 404, 404],
    ['community', 200, 403],
    ['public', 200, 403],
  ])('of a %s image others see %i and change %i', async (visibility, sees, changes) => {
    const uuid = await test.create({ visibility, owner: 'blue' }, admin);
    const path = `/v2/images/${uuid}`;
    expect((await test.call('GET', path, undefined, red)).status).toBe(sees);
    expect((await test.call('GET', `${path}/file`, undefined, red)).status).toBe(sees === 200 ? 204 : 404);
    const changed = [
      await test.patch(uuid, [], red),
      await test.upload(uuid, rawDisk(), red),
      await test.call('PUT', `${path}/tags/a`, undefined, red),
      await test.call('POST', `${path}/actions/deactivate`, undefined, red),
      await test.call('POST', `${path}/import`, { method: { name: 'web-download', uri: 'http://h/i' } }, red),
      await test.call('DELETE', path, undefined, red),
    ];
    expect(changed.map(({ status }) => status)).toEqual(Array(6).fill(changes));
    expect((await test.call('DELETE', path, undefined, admin)).status).toBe(204);
  });

  it('members see a shared image, and list it once they accept it', async () => {
    const uuid = await test.create({ name: 'ours' });
    const path = `/v2/images/${uuid}/members`;
    const added = await test.call('POST', path, { member: 'red' });
    expect(added.body).toEqual({
      image_id: uuid,
      member_id: 'red',
      status: 'pending',
      created_at: expect.stringMatching(/Z$/),
      updated_at: expect.any(String),
      schema: '/v2/schemas/member',
    });
    expect((await test.call('POST', path, { member: 'red' })).status).toBe(409);
    expect((await test.call('POST', path, { member: ' ' })).status).toBe(400);
    expect((await test.call('GET', `/v2/images/${uuid}`, undefined, red)).status).toBe(200);
    expect(await namesOf('?name=ours', red)).toEqual([]);
    expect(await namesOf('?member_status=pending&visibility=shared', red)).toEqual(['ours']);
    expect((await test.call('PUT', `${path}/red`, { status: 'accepted' })).status).toBe(403);
    expect((await test.call('PUT', `${path}/red`, { status: 'maybe' }, red)).status).toBe(400);
    expect((await test.call('PUT', `${path}/red`, { status: 'accepted' }, red)).body.status).toBe('accepted');
    expect(await namesOf('?name=ours', red)).toEqual(['ours']);
    await test.call('POST', path, { member: 'green' });
    const members = async (as?: typeof red) =>
      (await test.call('GET', path, undefined, as)).body.members.map(
        (m: { member_id: string }) => m.member_id,
      );
    expect(await members()).toEqual(['red', 'green']);
    expect(await members(red)).toEqual(['red']);
    expect((await test.call('GET', `${path}/green`, undefined, red)).status).toBe(404);
    expect((await test.call('DELETE', `${path}/red`, undefined, red)).status).toBe(403);
    expect((await test.call('DELETE', `${path}/red`)).status).toBe(204);
    expect((await test.call('DELETE', `${path}/red`)).status).toBe(404);
    expect((await test.call('GET', `/v2/images/${uuid}`, undefined, red)).status).toBe(404);
    await test.patch(uuid, [{ op: 'replace', path: '/visibility', value: 'private' }]);
    expect((await test.call('POST', path, { member: 'red' })).status).toBe(403);
  });

  it('keeps protected images', async () => {
    const uuid = await test.create({ protected: true });
    const answer = await test.call('DELETE', `/v2/images/${uuid}`);
    expect(answer.status).toBe(403);
    expect(answer.body.error.message).toContain('is protected');
  });

  it.each(['nothing', randomUUID(), '..%2f..%2fetc%2fpasswd', '%00'])('knows no image %s', async (id) => {
    for (const method of ['GET', 'DELETE'])
      expect((await test.call(method, `/v2/images/${id}`)).status).toBe(404);
  });
});

describe('lists', () => {
  let shared: TestImageService;
  beforeAll(async () => {
    shared = test;
    test = await createTestImageService();
    await test.create({ name: 'a', tags: ['x', 'y'], os_distro: 'debian' });
    await test.create({ name: 'b', tags: ['x'], disk_format: 'qcow2', protected: true });
    const uuid = await test.create({ name: 'c,d', min_ram: 5 });
    await test.upload(uuid, rawDisk());
    await test.create({ name: 'e', visibility: 'public', owner: 'red' }, admin);
    await test.create({ name: 'f', visibility: 'community' }, red);
    await test.create({ name: 'g', visibility: 'private' }, red);
    await test.create({ name: 'h', os_hidden: true });
  });
  afterAll(async () => {
    await test.close();
    test = shared;
  });

  it.each([
    ['', ['e', 'c,d', 'b', 'a']],
    ['?name=a', ['a']],
    ['?name=in:a,%22c,d%22,z', ['c,d', 'a']],
    ['?status=active', ['c,d']],
    ['?status=in:queued,active&visibility=shared', ['c,d', 'b', 'a']],
    ['?visibility=public', ['e']],
    ['?visibility=community', ['f']],
    ['?visibility=all', ['f', 'e', 'c,d', 'b', 'a']],
    ['?owner=red', ['e']],
    ['?disk_format=qcow2', ['b']],
    ['?container_format=bare&tag=x&tag=y', ['a']],
    ['?size_min=1', ['c,d']],
    ['?size_max=1', []],
    ['?min_ram=5', ['c,d']],
    ['?protected=True', ['b']],
    ['?os_distro=debian', ['a']],
    ['?toString=x', []],
    ['?os_hidden=true', ['h']],
    ['?id=nothing', []],
    ['?created_at=gt:2029-01-01T00:00:00Z&created_at=lt:2029-06-01T00:00:00Z', []],
    ['?updated_at=gte:2029-01-01T00:00:00&name=a', ['a']],
    ['?sort=name:asc', ['a', 'b', 'c,d', 'e']],
    ['?sort_key=disk_format&sort_dir=asc&sort_key=name&sort_dir=desc', ['b', 'e', 'c,d', 'a']],
    ['?sort=size:desc,name:asc&limit=2', ['c,d', 'a']],
    ['?limit=0', []],
  ])('%s', async (query, names) => expect(await namesOf(query)).toEqual(names));

  it('of administrators contain private images', async () => {
    expect(await namesOf('', admin)).toEqual(['g', 'e', 'c,d', 'b', 'a']);
  });

  it('have pages', async () => {
    const seen: string[] = [];
    let path: string | undefined = '/v2/images?limit=1&sort=name:asc&visibility=all';
    while (path !== undefined) {
      const { body } = await test.call('GET', path);
      seen.push(...body.images.map(({ name }: { name: string }) => name));
      expect(body.first).toBe('/v2/images?limit=1&sort=name%3Aasc&visibility=all');
      path = body.next;
    }
    expect(seen).toEqual(['a', 'b', 'c,d', 'e', 'f']);
  });

  it.each([
    '?limit=-1',
    '?limit=x',
    '?marker=nothing',
    '?sort=name:up',
    '?sort=password',
    '?sort=name&sort_key=name',
    '?sort_key=name&sort_dir=asc&sort_dir=asc',
    '?visibility=secret',
    '?member_status=x',
    '?os_hidden=perhaps',
    '?size_min=big',
    '?created_at=gt:yesterday',
  ])('%s is refused', async (query) => {
    expect((await test.call('GET', `/v2/images${query}`)).status).toBe(400);
  });

  it('does not begin after an image that the caller may not see', async () => {
    const [hidden] = (await test.library.records.all()).filter(({ name }) => name === 'g');
    expect((await test.call('GET', `/v2/images?marker=${hidden?.uuid}`)).status).toBe(400);
  });
});
