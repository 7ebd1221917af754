import type { FastifyRequest } from 'fastify';
import { describe, expect, it } from 'vitest';
import {
  RACKS,
  type RackCollection,
  rackCollection,
  rackHost,
  rackRequest,
} from '../../../test/fakes/rack-api.ts';
import type { CollectionHost } from './collection.ts';
import { capital, createCollectionView } from './collection-view.ts';

const [r1, r2] = RACKS;

function viewOf(host: Partial<CollectionHost> = {}, changes: Partial<RackCollection> = {}) {
  const { collection, told } = rackCollection(changes);
  return { ...createCollectionView(rackHost(host), collection), told };
}

it('writes the first letter large', () => {
  expect(['rack', 'server rack'].map(capital)).toEqual(['Rack', 'Server rack']);
});

describe('a record is found', () => {
  it('by its UUID in any case, and by its name from a version on', async () => {
    const { find } = viewOf();
    expect(await find(rackRequest(4), r1.uuid.toUpperCase())).toBe(r1);
    expect(await find(rackRequest(5), 'r2')).toBe(r2);
  });

  it.each<[string, number, string, Partial<RackCollection>]>([
    ['by name in an older version', 4, 'Expected a UUID but received r1.', {}],
    [
      'by name where there are none',
      20,
      'Expected a UUID but received r1.',
      { namesSince: undefined as never },
    ],
  ])('not %s', (_, minor, message, changes) => {
    expect(() => viewOf({}, changes).find(rackRequest(minor), 'r1')).toThrow(
      expect.objectContaining({ code: 'invalidParameter', message }),
    );
  });

  it('not by what can be no name', () => {
    expect(() => viewOf().find(rackRequest(5), 'a b')).toThrow(
      'Expected a logical name or UUID but received a b.',
    );
  });

  it('only if it is there and the caller may see it: both are refused alike', async () => {
    const refusal = (ident: string) => ({
      code: 'notFound',
      message: `Server rack ${ident} could not be found.`,
    });
    const { find } = viewOf({ sees: async (_, { uuid }) => uuid !== r1.uuid });
    await expect(find(rackRequest(5), 'r9')).rejects.toMatchObject(refusal('r9'));
    await expect(find(rackRequest(5), 'r1')).rejects.toMatchObject(refusal('r1'));
    expect(await find(rackRequest(5), 'r2')).toBe(r2);
  });
});

describe('a record is shown', () => {
  const keys = (minor: number, names: readonly string[] | null, changes?: Partial<RackCollection>) =>
    Object.keys(viewOf({}, changes).present(rackRequest(minor), r2, names)).join(' ');

  it('with the fields of the version, or with those that are asked for', () => {
    expect(keys(5, null)).toBe('uuid name notes links');
    expect(keys(7, null)).toBe('uuid name in_use notes owner links');
    expect(keys(7, ['name'])).toBe('name links');
  });

  it('with links to what belongs to it from a version on, unless fields are chosen', () => {
    const subResources = { subResources: { shelves: 8 } };
    expect(keys(7, null, subResources)).toBe('uuid name in_use notes owner links');
    expect(keys(8, null, subResources)).toBe('uuid name in_use notes owner links shelves');
    expect(keys(8, ['name'], subResources)).toBe('name links');
    const { present } = viewOf({}, subResources);
    expect(present(rackRequest(8), r2, null)).toMatchObject({
      name: 'r2',
      links: [{ href: `http://api/v1/racks/${r2.uuid}` }, { href: `http://api/racks/${r2.uuid}` }],
      shelves: [
        { href: `http://api/v1/racks/${r2.uuid}/shelves` },
        { href: `http://api/racks/${r2.uuid}/shelves` },
      ],
    });
  });

  it('with links to where the request was sent, if there is no public endpoint', () => {
    const request = rackRequest(8, { protocol: 'http', host: 'here:1' });
    expect(viewOf({ publicEndpoint: null }).present(request, r1, [])).toEqual({
      links: [
        { href: `http://here:1/v1/racks/${r1.uuid}`, rel: 'self' },
        { href: `http://here:1/racks/${r1.uuid}`, rel: 'bookmark' },
      ],
    });
  });

  it('without what the caller may not see', () => {
    const asked: string[] = [];
    const redacted = (_: FastifyRequest, policy: string) => {
      asked.push(policy);
      return '***';
    };
    const shown = viewOf({ redacted }).present(rackRequest(7), r2, null);
    expect(shown).toMatchObject({ name: 'r2', owner: '***' });
    expect(asked).toEqual(['rack:owner']);
    expect(viewOf().present(rackRequest(7), r2, null)['owner']).toBe('alice');
  });

  it('in the form of its version, else by its own getter, else as it is stored', () => {
    const changes: Partial<RackCollection> = {
      getters: { name: ({ name }) => `rack ${name}`, notes: () => 'own' },
      formAt: { notes: (minor) => (minor < 8 ? () => 'older' : undefined) },
    };
    const shown = (minor: number) => viewOf({}, changes).present(rackRequest(minor), r2, null);
    expect(shown(7)).toMatchObject({ name: 'rack r2', notes: 'older', in_use: false });
    expect(shown(8)).toMatchObject({ name: 'rack r2', notes: 'own' });
  });
});

describe('a page', () => {
  it('has as many records as the limits allow, and a link to the next with the same path and query', async () => {
    const { page } = viewOf();
    const request = rackRequest(9, { url: '/v1/racks/?in_use=false', query: { in_use: 'false' } });
    expect(await page(request, {}, { inUse: false }, ['name'])).toEqual({
      racks: [expect.objectContaining({ name: 'r1' }), expect.objectContaining({ name: 'r2' })],
      next: `http://api/v1/racks?in_use=false&limit=2&marker=${r2.uuid}`,
    });
    const last = await page(rackRequest(9), { limit: 2, marker: r2.uuid }, {}, ['name']);
    expect(last).toEqual({ racks: [{ name: 'r3', links: expect.any(Array) }] });
  });

  it('passes on what is asked of the store, and whose records the caller may list', async () => {
    const { page, told } = viewOf({ listedProject: () => 'p1' });
    const query = {
      sort_key: 'name',
      sort_dir: 'desc',
      limit: 1,
      shard: ['A'],
      conductor_groups: ['East', 'WEST'],
      description_contains: 'Spare',
    };
    await page(rackRequest(9), query, { inUse: true }, null);
    expect(told).toEqual([
      {
        filter: { inUse: true },
        rows: { limit: 1, sortKey: 'name', sortDir: 'desc' },
        scope: {
          project: 'p1',
          shards: ['A'],
          conductorGroups: ['east', 'west'],
          descriptionContains: 'Spare',
        },
      },
    ]);
  });

  it('begins after a record that the caller may see', async () => {
    const { page, told } = viewOf({ sees: async (_, { uuid }) => uuid !== r1.uuid });
    await expect(page(rackRequest(9), { marker: r1.uuid }, {}, null)).rejects.toMatchObject({
      code: 'notFound',
    });
    expect(told).toEqual([]);
    expect(await page(rackRequest(9), { marker: r2.uuid }, {}, [])).toMatchObject({ racks: [{}] });
  });
});
