/** Lists of nodes: filters, order and pages. */
import { describe, expect, it } from 'vitest';
import type { NewNode, Node } from '../../domain/node.ts';
import type { NodeFilter } from '../../domain/store/nodes.ts';
import { ALL_ROWS, listAll, type Page } from '../../domain/store/page.ts';
import { ALL, expectError, later, mac, NOW, newNode, newPort, type Subject } from './samples.ts';

const RACK = {
  plain: {},
  busy: { provisionState: 'deploying', maintenance: true, fault: 'power failure' },
  mine: { owner: 'p1', driver: 'fake-hardware', resourceClass: 'gold', description: '100% of Rack_7' },
  lent: { owner: 'p2', lessee: 'p1', conductorGroup: 'west', shard: 's1', description: '100 of RackA7' },
  used: { instanceUuid: 'i1', shard: 's2', retired: true },
} as const satisfies Record<string, Partial<NewNode>>;
type Name = keyof typeof RACK;

const FILTERS: readonly (readonly [NodeFilter, readonly Name[]])[] = [
  [{}, ['plain', 'busy', 'mine', 'lent', 'used']],
  [{ provisionState: 'deploying' }, ['busy']],
  [{ driver: 'fake-hardware' }, ['mine']],
  [{ maintenance: true }, ['busy']],
  [{ maintenance: false }, ['plain', 'mine', 'lent', 'used']],
  [{ retired: true }, ['used']],
  [{ associated: true }, ['used']],
  [{ associated: false }, ['plain', 'busy', 'mine', 'lent']],
  [{ instanceUuid: 'i1' }, ['used']],
  [{ resourceClass: 'gold' }, ['mine']],
  [{ conductorGroup: 'west' }, ['lent']],
  [{ conductorGroup: '' }, ['plain', 'busy', 'mine', 'used']],
  [{ fault: 'power failure' }, ['busy']],
  [{ owner: 'p1' }, ['mine']],
  [{ lessee: 'p1' }, ['lent']],
  [{ project: 'p1' }, ['mine', 'lent']],
  [{ shards: ['s1', 's2'] }, ['lent', 'used']],
  [{ shards: ['s3'] }, []],
  [{ shards: [] }, []],
  [{ sharded: true }, ['lent', 'used']],
  [{ sharded: false }, ['plain', 'busy', 'mine']],
  [{ descriptionContains: '100' }, ['mine', 'lent']],
  [{ descriptionContains: '100%' }, ['mine']],
  [{ descriptionContains: 'Rack_7' }, ['mine']],
  [{ descriptionContains: "' or 1=1 --" }, []],
  [{ project: 'p1', sharded: true, maintenance: false }, ['lent']],
];

export function listConformance(store: Subject): void {
  describe('node lists', () => {
    it('filter', async () => {
      for (const [name, patch] of Object.entries(RACK)) {
        await store().nodes.create(newNode({ name, ...patch }), NOW);
      }
      for (const [filter, names] of FILTERS) {
        const found = await store().nodes.list(filter, ALL);
        expect(
          found.map((node) => node.name),
          JSON.stringify(filter),
        ).toEqual(names);
      }
    });

    it('page through everything once, in order, whatever the key, direction and page size', async () => {
      const owners = [null, 'b', 'a', null, 'b', 'a', 'c'];
      for (const [index, owner] of owners.entries()) {
        const patch = {
          owner,
          name: `n${index}`,
          maintenance: index % 2 === 0,
          provisionUpdatedAt: index < 2 ? null : later(index % 3),
        };
        await store().nodes.create(newNode(patch), later(-index));
      }
      const nodes = await store().nodes.list({}, ALL);
      const keys = ['id', 'name', 'uuid', 'owner', 'maintenance', 'provisionUpdatedAt', 'createdAt'] as const;
      for (const sortKey of keys) {
        for (const sortDir of ['asc', 'desc'] as const) {
          const expected = [...nodes].sort(comparing(sortKey, sortDir)).map((node) => node.name);
          for (const limit of [1, 2, 3, 100]) {
            const walked = await walk(store, { sortKey, sortDir, limit });
            expect(walked, `${sortKey} ${sortDir} by ${limit}`).toEqual(expected);
          }
        }
      }
    });

    it('filter and page at once, after a marker outside the filter', async () => {
      const a = await store().nodes.create(newNode({ owner: 'x' }), NOW);
      const b = await store().nodes.create(newNode(), NOW);
      const c = await store().nodes.create(newNode({ owner: 'x' }), NOW);
      const page = { ...ALL, limit: 1 };
      const after = async (marker: string) =>
        (await store().nodes.list({ owner: 'x' }, { ...page, marker })).map((node) => node.uuid);
      expect(await after(a.uuid)).toEqual([c.uuid]);
      expect(await after(b.uuid)).toEqual([c.uuid]);
      expect(await after(c.uuid)).toEqual([]);
    });

    it.each(['driverInfo', 'traits', 'nope', 'agentToken', 'provision_state', 'id desc; --', '__proto__'])(
      'do not sort by %s',
      async (sortKey) => {
        const page = { ...ALL, sortKey };
        await expectError(store().nodes.list({}, page), 'invalidParameter', sortKey);
        await expectError(store().ports.list({}, page), 'invalidParameter', sortKey);
      },
    );

    it('know when the marker is gone', async () => {
      const page = { ...ALL, marker: 'gone' };
      await expectError(store().nodes.list({}, page), 'notFound', 'Node gone could not be found.');
      await expectError(store().ports.list({}, page), 'notFound', 'Port gone could not be found.');
    });

    it('are whole when everything is asked for', async () => {
      const { uuid: nodeUuid } = await store().nodes.create(newNode(), NOW);
      await store().transaction(async (tx) => {
        for (let number = 0; number < 1_001; number++)
          await tx.ports.create(newPort(nodeUuid, mac(number)), NOW);
      });
      const ports = await listAll(store().ports, { nodeUuid });
      expect(ports.map(({ address }) => address)).toEqual(Array.from({ length: 1_001 }, (_, n) => mac(n)));
      expect(await store().nodes.listShown({}, ALL_ROWS, ['uuid'])).toEqual([{ uuid: nodeUuid }]);
    });
  });
}

async function walk(store: Subject, page: Page): Promise<(string | null)[]> {
  const names: (string | null)[] = [];
  let marker: string | undefined;
  for (;;) {
    const rows = await store().nodes.list({}, { ...page, ...(marker !== undefined && { marker }) });
    names.push(...rows.map((node) => node.name));
    marker = rows.at(-1)?.uuid;
    if (marker === undefined || names.length > 100) return names;
  }
}

/** null comes first; equal values are ordered by id. */
function comparing(key: keyof Node, direction: Page['sortDir']) {
  const rank = (node: Node) => {
    const value = node[key];
    return value instanceof Date ? value.getTime() : (value as string | number | boolean | null);
  };
  const ascending = (a: Node, b: Node) => {
    const [left, right] = [rank(a), rank(b)];
    if (left === right) return a.id - b.id;
    if (left === null || right === null) return left === null ? -1 : 1;
    return left < right ? -1 : 1;
  };
  return (a: Node, b: Node) => (direction === 'asc' ? ascending(a, b) : ascending(b, a));
}
