import { afterEach, beforeEach, expect, it } from 'vitest';
import { openRecordedDatabase, type RecordedDatabase } from '../../../test/fakes/recorded-database.ts';
import { expectError, later, NOW, newNode } from '../conformance/samples.ts';
import { createInventoryStore } from './inventory.ts';
import { createNodeStore } from './nodes.ts';

let recorded: RecordedDatabase;
beforeEach(async () => {
  recorded = await openRecordedDatabase();
  for (const uuid of ['n1', 'n2']) await createNodeStore(recorded.db).create(newNode({ uuid }), NOW);
});
afterEach(() => recorded[Symbol.asyncDispose]());

it('an inspection replaces the whole inventory of its node, and no other', async () => {
  const store = createInventoryStore(recorded.db);
  const first = { inventory: { cpu: { count: 2 }, disks: [] }, pluginData: { lldp: null } };
  await store.put('n1', first, NOW);
  await store.put('n2', first, NOW);
  const second = { inventory: { cpu: { count: 4 } }, pluginData: {} };
  await store.put('n1', second, later(5));
  expect([await store.get('n1'), await store.get('n2')]).toStrictEqual([second, first]);
  const times = await recorded.rows<{ updated_at: number }>(
    'select updated_at from inventory order by node_uuid',
  );
  expect(times).toEqual([{ updated_at: later(5).getTime() }, { updated_at: NOW.getTime() }]);
});

it('a node has none before, and needs to be there', async () => {
  const store = createInventoryStore(recorded.db);
  expect(await store.get('n1')).toBeUndefined();
  const put = store.put('gone', { inventory: {}, pluginData: {} }, NOW);
  await expectError(put, 'notFound', 'Node gone could not be found.');
});
