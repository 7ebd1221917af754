import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createTestCloud, member, type TestCloud } from '../../../../test/fakes/compute/cloud.ts';
import { listAll } from '../../../domain/store/page.ts';
import { novaService } from '../nova-service.ts';

let cloud: TestCloud;
beforeAll(async () => {
  cloud = await createTestCloud([novaService]);
});
afterAll(() => cloud.close());
afterEach(async () => {
  const { flavors } = cloud.store.compute;
  for (const { uuid } of await listAll(flavors, {})) await flavors.delete(uuid);
});

const V = '/compute/v2.1';
const red = member('red');

async function make(name: string, changes: object = {}): Promise<void> {
  const flavor = { id: name, name, ram: 1024, vcpus: 1, disk: 10, ...changes };
  const { status, body } = await cloud.call('POST', `${V}/flavors`, { flavor });
  if (status !== 200) throw new Error(JSON.stringify(body));
}

const names = async (query: string, as = red): Promise<string[]> => {
  const { body } = await cloud.call('GET', `${V}/flavors${query}`, undefined, { as });
  return body.flavors.map(({ name }: { name: string }) => name);
};

describe('flavors', () => {
  it('are shown in the form of each microversion', async () => {
    const flavor = {
      name: 'bm.small',
      ram: '4096',
      vcpus: 2,
      disk: 0,
      rxtx_factor: '2.5',
      description: 'two processors',
      'OS-FLV-EXT-DATA:ephemeral': 20,
    };
    const made = await cloud.call('POST', `${V}/flavors`, { flavor }, { minor: 61 });
    const { id } = made.body.flavor;
    const oldest = {
      id,
      name: 'bm.small',
      ram: 4096,
      disk: 0,
      swap: '',
      vcpus: 2,
      rxtx_factor: 2.5,
      'OS-FLV-EXT-DATA:ephemeral': 20,
      'OS-FLV-DISABLED:disabled': false,
      'os-flavor-access:is_public': true,
      links: [
        { rel: 'self', href: `http://cloud.test/compute/v2.1/flavors/${id}` },
        { rel: 'bookmark', href: `http://cloud.test/compute/flavors/${id}` },
      ],
    };
    const at = async (minor: number) =>
      (await cloud.call('GET', `${V}/flavors/${id}`, undefined, { minor })).body.flavor;
    expect(await at(54)).toEqual(oldest);
    expect(await at(55)).toEqual({ ...oldest, description: 'two processors' });
    expect(await at(61)).toEqual({ ...oldest, description: 'two processors', extra_specs: {} });
    const list = await cloud.call('GET', `${V}/flavors/detail`, undefined, { minor: 61, as: red });
    expect(list.body).toEqual({ flavors: [await at(61)] });
    const { body: brief } = await cloud.call('GET', `${V}/flavors`, undefined, { minor: 1, as: red });
    expect(Object.keys(brief.flavors[0])).toEqual(['id', 'name', 'links']);
  });

  it('can be described and deleted, and are found only by id', async () => {
    await make('tiny', { id: 7 });
    expect((await cloud.call('GET', `${V}/flavors/tiny`)).status).toBe(404);
    const flavor = { description: null };
    const put = await cloud.call('PUT', `${V}/flavors/7`, { flavor }, { minor: 55 });
    expect([put.status, put.body.flavor.description]).toEqual([200, null]);
    expect((await cloud.call('DELETE', `${V}/flavors/7`)).status).toBe(202);
    const gone = await cloud.call('DELETE', `${V}/flavors/7`);
    expect(gone.body).toEqual({ itemNotFound: { code: 404, message: 'Flavor 7 could not be found.' } });
  });

  it('have a unique name and id', async () => {
    await make('one');
    const again = (flavor: object) =>
      cloud.call('POST', `${V}/flavors`, { flavor: { ram: 1, vcpus: 1, disk: 1, ...flavor } });
    expect((await again({ name: 'one' })).body.conflictingRequest.message).toBe(
      'Flavor with name one already exists.',
    );
    expect((await again({ name: 'two', id: 'one' })).body.conflictingRequest.message).toBe(
      'Flavor with ID one already exists.',
    );
  });

  it('are listed by size, order and page', async () => {
    await make('c', { ram: 1, disk: 3 });
    await make('a', { ram: 2, disk: 2 });
    await make('b', { ram: 3, disk: 1 });
    expect(await names('')).toEqual(['a', 'b', 'c']);
    expect(await names('?minRam=2')).toEqual(['a', 'b']);
    expect(await names('?minDisk=2&sort_key=root_gb&sort_dir=desc')).toEqual(['c', 'a']);
    expect(await names('?sort_key=memory_mb&limit=1&marker=c')).toEqual(['a']);
    expect(await names('?limit=0')).toEqual([]);
    const { body } = await cloud.call('GET', `${V}/flavors?limit=2`);
    expect(body.flavors_links).toEqual([
      { rel: 'next', href: 'http://cloud.test/compute/v2.1/flavors?limit=2&marker=b' },
    ]);
    expect((await cloud.call('GET', `${V}/flavors?limit=2&marker=b`)).body.flavors_links).toBeUndefined();
  });

  it('that are private are visible to their projects, and to administrators on request', async () => {
    await make('open');
    await make('closed', { 'os-flavor-access:is_public': 'False' });
    expect((await cloud.call('GET', `${V}/flavors/closed`, undefined, { as: red })).status).toBe(404);
    const act = (action: object) => cloud.call('POST', `${V}/flavors/closed/action`, action);
    const add = { addTenantAccess: { tenant: 'red' } };
    expect((await act(add)).body).toEqual({ flavor_access: [{ flavor_id: 'closed', tenant_id: 'red' }] });
    expect((await act(add)).status).toBe(409);
    expect(await names('?is_public=None')).toEqual(['closed', 'open']);
    expect(await names('', member('blue'))).toEqual(['open']);
    const all = await cloud.call('GET', `${V}/flavors?is_public=None`);
    expect(all.body.flavors).toHaveLength(2);
    expect((await cloud.call('GET', `${V}/flavors?is_public=false`)).body.flavors).toHaveLength(1);
    expect((await cloud.call('GET', `${V}/flavors/closed/os-flavor-access`)).body.flavor_access).toHaveLength(
      1,
    );
    expect((await cloud.call('GET', `${V}/flavors/open/os-flavor-access`)).status).toBe(404);
    expect((await act({ removeTenantAccess: { tenant: 'red' } })).body).toEqual({ flavor_access: [] });
    expect((await act({ removeTenantAccess: { tenant: 'red' } })).status).toBe(404);
    expect((await act({})).status).toBe(400);
    const open = await cloud.call('POST', `${V}/flavors/open/action`, add, { minor: 7 });
    expect(open.body.conflictingRequest.message).toBe('Can not add access to a public flavor.');
  });
});

describe('extra specs', () => {
  const path = `${V}/flavors/bm/os-extra_specs`;
  beforeEach(() => make('bm'));

  it('are added, replaced, shown and removed', async () => {
    const extra_specs = { 'resources:CUSTOM_GOLD': 1, 'trait:CUSTOM_GPU': 'required' };
    expect((await cloud.call('POST', path, { extra_specs })).body).toEqual({ extra_specs });
    await cloud.call('PUT', `${path}/capabilities:boot_mode`, { 'capabilities:boot_mode': 'uefi' });
    expect((await cloud.call('GET', path, undefined, { as: red })).body).toEqual({
      extra_specs: { ...extra_specs, 'resources:CUSTOM_GOLD': '1', 'capabilities:boot_mode': 'uefi' },
    });
    const one = `${path}/trait:CUSTOM_GPU`;
    expect((await cloud.call('GET', one)).body).toEqual({ 'trait:CUSTOM_GPU': 'required' });
    expect((await cloud.call('DELETE', one)).status).toBe(200);
    for (const method of ['GET', 'DELETE'])
      expect((await cloud.call(method, one)).body.itemNotFound.message).toBe(
        'Flavor bm has no extra specs with key trait:CUSTOM_GPU.',
      );
  });

  it.each([
    [{ 'resources:CUSTOM_GOLD': 'one' }, 'amount must be a whole number'],
    [{ 'trait:CUSTOM_GPU': 'wanted' }, 'must be required or forbidden'],
    [{ 'no/slash': 'x' }, "Additional properties are not allowed ('no/slash' was unexpected)"],
    [{ long: 'x'.repeat(256) }, 'is too long'],
    [{ list: ['x'] }, "[...] is not of type 'string'"],
  ])('%o is refused', async (extra_specs, reason) => {
    const { status, body } = await cloud.call('POST', path, { extra_specs });
    expect([status, body.badRequest?.message]).toEqual([400, expect.stringContaining(reason)]);
    expect((await cloud.call('GET', path)).body).toEqual({ extra_specs: {} });
  });

  it('of two simultaneous changes are both kept', async () => {
    await Promise.all(['a', 'b'].map((key) => cloud.call('PUT', `${path}/${key}`, { [key]: '1' })));
    expect((await cloud.call('GET', path)).body).toEqual({ extra_specs: { a: '1', b: '1' } });
  });
});

describe('invalid flavors', () => {
  const good = { name: 'x', ram: 1, vcpus: 1, disk: 1 };
  it.each([
    [null, "None is not of type 'object'"],
    [{}, "'flavor' is a required property"],
    [{ flavor: [] }, "Invalid input for field/attribute flavor. Value: []. [] is not of type 'object'"],
    [{ flavor: { ...good, name: '' } }, "Invalid input for field/attribute name. Value: . '' is too short"],
    [{ flavor: { ...good, name: ' x' } }, 'Can not start or end with whitespace'],
    [{ flavor: { ...good, name: 'x\u0000y' } }, 'printable characters'],
    [{ flavor: { ...good, ram: 0 } }, '0 is less than the minimum of 1'],
    [{ flavor: { ...good, ram: '9'.repeat(400) } }, 'greater than the maximum of 2147483647'],
    [{ flavor: { ...good, ram: true } }, "True is not of type 'integer', 'string'"],
    [{ flavor: { ...good, vcpus: 'two' } }, "'two' does not match '^[0-9]+$'"],
    [{ flavor: { ...good, vcpus: 1.5 } }, 'is not of type'],
    [{ flavor: { ...good, id: 'a/b' } }, 'does not match'],
    [{ flavor: { ...good, rxtx_factor: 0 } }, '0 is not a number above 0'],
    [{ flavor: { ...good, 'os-flavor-access:is_public': 'maybe' } }, "'maybe' is not one of"],
    [{ flavor: { ...good, description: 'later' } }, "('description' was unexpected)"],
    [{ flavor: { ...good, a: 1, b: 2 } }, "('a', 'b' were unexpected)"],
    [{ flavor: { ...good, constructor: {} } }, "('constructor' was unexpected)"],
    ['{"flavor": {"__proto__": 1}}', 'not valid JSON'],
    ['{', 'JSON'],
  ])('%o', async (body, reason) => {
    const answer = await cloud.call('POST', `${V}/flavors`, body === null ? 'null' : body, { minor: 1 });
    expect([answer.status, answer.body.badRequest?.message]).toEqual([400, expect.stringContaining(reason)]);
  });

  it.each([
    ['?limit=-1', 'limit'],
    ['?limit=1&limit=x', 'limit'],
    ['?marker=nowhere', 'marker [nowhere] not found'],
    ['?sort_key=password', 'sort_key'],
    ['?sort_dir=up', 'sort_dir'],
    ['?minRam=lots', 'minRam'],
    ['?is_public=perhaps', 'is_public'],
  ])('%s', async (query, reason) => {
    const { status, body } = await cloud.call('GET', `${V}/flavors${query}`);
    expect([status, body.badRequest?.message]).toEqual([400, expect.stringContaining(reason)]);
  });
});
