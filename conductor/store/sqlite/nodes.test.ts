import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openRecordedDatabase, type RecordedDatabase } from '../../../test/fakes/recorded-database.ts';
import type { NodeStore } from '../../domain/store/nodes.ts';
import { ALL, expectError, mac, NOW, newNode, newPort, SESSION } from '../conformance/samples.ts';
import { createNodeStore } from './nodes.ts';
import { createRecordStore } from './record-store.ts';
import { RECORD_TABLES } from './record-tables.ts';

let recorded: RecordedDatabase;
let nodes: NodeStore;
beforeEach(async () => {
  recorded = await openRecordedDatabase();
  nodes = createNodeStore(recorded.db);
});
afterEach(() => recorded[Symbol.asyncDispose]());

const count = async (table: string) =>
  (await recorded.rows<{ n: number }>(`select count(*) as n from ${table}`))[0]!.n;

describe('a refused node', () => {
  beforeEach(() => nodes.create(newNode({ uuid: 'n1', name: 'one', instanceUuid: 'i1' }), NOW));

  it.each([
    [{ uuid: 'n1' }, 'A node with UUID n1 already exists.'],
    [{ uuid: 'n2', name: 'one' }, 'A node with name one already exists.'],
    [{ uuid: 'n2', instanceUuid: 'i1' }, 'Instance i1 is already associated with a node'],
    [{ uuid: 'n2', parentNode: 'gone' }, 'The parent node or the chassis that node n2 names is gone.'],
    [{ uuid: 'n2', chassisUuid: 'gone' }, 'The parent node or the chassis that node n2 names is gone.'],
  ])('with %j: %s', async (fields, text) => {
    await expectError(
      nodes.create(newNode({ ...fields, driverInfo: { password: 'p' } }), NOW),
      'conflict',
      text,
    );
    expect([await count('nodes'), await count('secrets')]).toEqual([1, 0]);
  });
});

it('a change of fields that hold no secrets is one statement, and one of others is one transaction', async () => {
  await nodes.create(newNode({ uuid: 'n1', driverInfo: { password: 'p' } }), NOW);
  expect(await recorded.plansOf(() => nodes.update('n1', { name: 'one' }, NOW))).toHaveLength(1);
  expect(await recorded.plansOf(() => nodes.update('n1', { driverInfo: { password: 'q' } }, NOW))).toEqual(
    [],
  );
  expect((await nodes.get('n1')).driverInfo).toEqual({ password: 'q' });
});

it('everything that belongs to a node goes with it, and nothing else', async () => {
  const ports = createRecordStore(recorded.db, RECORD_TABLES.ports);
  for (const [number, uuid] of [[1, 'n1'] as const, [2, 'n2'] as const]) {
    await nodes.create(newNode({ uuid, driverInfo: { password: 'p' } }), NOW);
    await ports.create(newPort(uuid, mac(number)), NOW);
    const address = `'${mac(number)}'`;
    await recorded.rows(
      `insert into leases (mac, address, expires_at) values (${address}, '10.0.0.${number}', 1)`,
    );
    await recorded.rows(`insert into sightings (kind, at, mac) values ('script', 1, ${address})`);
  }
  await nodes.delete('n1');
  for (const table of ['nodes', 'ports', 'leases', 'sightings', 'secrets'])
    expect([table, await count(table)]).toEqual([table, 1]);
  await expectError(nodes.delete('n1'), 'notFound', 'Node n1 could not be found.');
});

it('nodes found by the MACs of their ports are in order of creation', async () => {
  const ports = createRecordStore(recorded.db, RECORD_TABLES.ports);
  for (const uuid of ['b', 'a', 'c']) await nodes.create(newNode({ uuid }), NOW);
  for (const [at, uuid] of ['c', 'a', 'b'].entries()) await ports.create(newPort(uuid, mac(at)), NOW);
  expect((await nodes.findByMacs([mac(0), mac(1), mac(2)])).map(({ uuid }) => uuid)).toEqual(['b', 'a', 'c']);
  expect(await recorded.plansOf(() => nodes.findByMacs([]))).toEqual([]);
});

it('a heartbeat without a session says whether the node or its session is missing', async () => {
  const { token: _, ...heard } = SESSION;
  await expectError(nodes.heartbeat('gone', heard, NOW), 'notFound', 'Node gone could not be found.');
  await nodes.create(newNode({ uuid: 'n1' }), NOW);
  await expectError(nodes.heartbeat('n1', heard, NOW), 'invalidState', 'has no agent session');
  await nodes.openSession('n1', { token: 'token', certificate: null }, NOW);
  await nodes.heartbeat('n1', heard, NOW);
  expect((await nodes.get('n1')).agent).toEqual({ ...SESSION, token: 'token', lastHeartbeatAt: NOW });
});

it('a shown node has its secrets masked, and a listed one has them', async () => {
  await nodes.create(newNode({ uuid: 'n1', driverInfo: { password: 'p' } }), NOW);
  expect(await nodes.listShown({}, ALL, ['driverInfo'])).toEqual([{ driverInfo: { password: '******' } }]);
  expect(await nodes.list({}, ALL)).toMatchObject([{ driverInfo: { password: 'p' } }]);
});

it('shards are counted, most first, then by name', async () => {
  for (const shard of ['b', 'a', 'c', 'c', null]) await nodes.create(newNode({ shard }), NOW);
  expect(await nodes.shards()).toEqual([
    { name: 'c', count: 2 },
    { name: null, count: 1 },
    { name: 'a', count: 1 },
    { name: 'b', count: 1 },
  ]);
});
