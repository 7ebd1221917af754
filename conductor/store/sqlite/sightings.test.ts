import { afterEach, beforeEach, expect, it } from 'vitest';
import { openRecordedDatabase, type RecordedDatabase } from '../../../test/fakes/recorded-database.ts';
import type { BootSighting } from '../../domain/boot.ts';
import type { SightingStore } from '../../domain/store/sightings.ts';
import { later, mac, NOW, newNode, newPort } from '../conformance/samples.ts';
import { createNodeStore } from './nodes.ts';
import { createRecordStore } from './record-store.ts';
import { RECORD_TABLES } from './record-tables.ts';
import { createSightingStore } from './sightings.ts';

let recorded: RecordedDatabase;
let sightings: SightingStore;
beforeEach(async () => {
  recorded = await openRecordedDatabase();
  sightings = createSightingStore(recorded.db);
  await createNodeStore(recorded.db).create(newNode({ uuid: 'n1' }), NOW);
  await createRecordStore(recorded.db, RECORD_TABLES.ports).create(newPort('n1', mac(1)), NOW);
});
afterEach(() => recorded[Symbol.asyncDispose]());

const rows = (where = 'true') =>
  recorded.rows<{ node_uuid: string | null; at: number }>(
    `select node_uuid, at from sightings where ${where}`,
  );

/** Adds `count` sightings in one transaction, 1 ms apart; returns the times of the kept ones, in ms after NOW. */
async function add(count: number, of: (n: number) => Omit<BootSighting, 'at' | 'kind'>): Promise<number[]> {
  await recorded.db.atomic(async (within) => {
    const store = createSightingStore(within);
    for (let n = 1; n <= count; n += 1) await store.add({ kind: 'heartbeat', at: later(n), ...of(n) });
  });
  return (await rows()).map(({ at }) => at - NOW.getTime());
}
const range = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, at) => from + at);

it('a sighting is of the node that it names, or of the one with a port of its MAC', async () => {
  await sightings.add({ kind: 'power on', at: NOW, nodeUuid: 'n1' });
  await sightings.add({ kind: 'dhcp discover', at: NOW, mac: mac(1) });
  await sightings.add({ kind: 'dhcp discover', at: NOW, mac: mac(2) });
  await sightings.add({ kind: 'power on', at: NOW, nodeUuid: 'gone' });
  expect((await rows()).map(({ node_uuid }) => node_uuid)).toEqual(['n1', 'n1', null, null]);
});

it('the newest 200 of a MAC are kept', async () => {
  expect(await add(203, () => ({ mac: mac(1) }))).toEqual(range(4, 203));
});

it('the newest 200 of a node without a MAC are kept, and none with one is lost for them', async () => {
  await sightings.add({ kind: 'script', at: NOW, mac: mac(1) });
  expect(await add(203, () => ({ nodeUuid: 'n1' }))).toEqual([0, ...range(4, 203)]);
});

it('the newest 2000 of unknown machines are kept, with a MAC or without', async () => {
  await sightings.add({ kind: 'script', at: NOW, mac: mac(1) });
  const unknown = (n: number) => (n % 2 === 0 ? { mac: mac(n + 10) } : {});
  expect(await add(2_003, unknown)).toEqual([0, ...range(4, 2_003)]);
});

it('fields that a sighting has not are absent', async () => {
  await sightings.add({ kind: 'kernel done', at: NOW, mac: mac(1), bytes: 0 });
  expect(await sightings.forNode('n1', NOW)).toEqual([
    { kind: 'kernel done', at: NOW, mac: mac(1), bytes: 0, nodeUuid: 'n1' },
  ]);
});
