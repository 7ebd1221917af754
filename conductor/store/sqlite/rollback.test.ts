/** If one of a call's statements fails, the call changes nothing. Triggers make the statements fail. */
import { afterEach, beforeEach, expect, it } from 'vitest';
import { openRecordedDatabase, type RecordedDatabase } from '../../../test/fakes/recorded-database.ts';
import { later, mac, NOW, newNode, newPort, SESSION, step } from '../conformance/samples.ts';
import { createHistoryStore } from './history.ts';
import { createLeaseStore } from './leases.ts';
import { createNodeStore } from './nodes.ts';
import { createOperationStore } from './operations.ts';
import { createRecordStore } from './record-store.ts';
import { RECORD_TABLES } from './record-tables.ts';
import { createRevokedTokens } from './revoked-tokens.ts';
import { createSightingStore } from './sightings.ts';

let recorded: RecordedDatabase;
beforeEach(async () => {
  recorded = await openRecordedDatabase();
  await nodes().create(newNode({ uuid: 'n1', driverInfo: { password: 'p' } }), NOW);
  await createRecordStore(recorded.db, RECORD_TABLES.ports).create(newPort('n1', mac(1)), NOW);
  await leases().put({ mac: mac(1), address: '10.0.0.5', expiresAt: later(100) }, NOW);
  await leases().decline({ address: '10.0.0.6', until: later(100) }, NOW);
  await sightings().add({ kind: 'script', at: NOW, mac: mac(1) });
  await revoked().add('old', later(100), NOW);
});
afterEach(() => recorded[Symbol.asyncDispose]());

const nodes = () => createNodeStore(recorded.db);
const operations = () => createOperationStore(recorded.db);
const leases = () => createLeaseStore(recorded.db);
const sightings = () => createSightingStore(recorded.db);
const revoked = () => createRevokedTokens(recorded.db);
const begin = () =>
  operations().create(
    { nodeUuid: 'n1', kind: 'rescue', args: { rescue_password: 'p' }, steps: [step('a')] },
    NOW,
  );
const sighting = (n: number) => sightings().add({ kind: 'script', at: later(n), mac: mac(1) });
const entry = (n: number) =>
  createHistoryStore(recorded.db).add({
    uuid: `h${n}`,
    nodeUuid: 'n1',
    createdAt: NOW,
    severity: 'INFO',
    eventType: 'power',
    event: 'on',
    conductor: 'here',
    user: null,
    project: null,
    state: null,
    targetProvisionState: null,
    durationSeconds: null,
  });

const TABLES = [
  ...['nodes', 'secrets', 'ports', 'leases', 'sightings', 'declined_addresses', 'revoked_tokens'],
  ...['operations', 'history'],
];
const contents = async () =>
  Object.fromEntries(
    await Promise.all(
      TABLES.map(async (table) => [table, await recorded.rows(`select * from ${table}`)] as const),
    ),
  );

const nothing = async (): Promise<unknown> => undefined;
const times = (count: number, work: (n: number) => Promise<unknown>) => async () => {
  for (let n = 0; n < count; n += 1) await work(n);
};

it.each<[fails: string, call: string, work: () => Promise<unknown>, before: () => Promise<unknown>]>([
  [
    'insert on secrets',
    'a new node',
    () => nodes().create(newNode({ driverInfo: { password: 'q' } }), NOW),
    nothing,
  ],
  [
    'insert on secrets',
    'a changed secret',
    () => nodes().update('n1', { driverInfo: { password: 'q' } }, NOW),
    nothing,
  ],
  ['delete on secrets', 'a removed secret', () => nodes().update('n1', { driverInfo: {} }, NOW), nothing],
  ['delete on leases', 'a deleted node', () => nodes().delete('n1'), nothing],
  ['delete on sightings', 'a deleted node', () => nodes().delete('n1'), nothing],
  ['delete on nodes', 'a deleted node', () => nodes().delete('n1'), nothing],
  [
    'insert on secrets',
    'a new session',
    () => nodes().openSession('n1', { token: 'token', certificate: null }, NOW),
    nothing,
  ],
  ['insert on secrets', 'a new operation', begin, nothing],
  [
    'delete on operations',
    'a new operation',
    begin,
    times(100, async () => {
      const { id } = await begin();
      await operations().update(id, { state: 'done' });
    }),
  ],
  ['update on operations', 'an ended operation', () => operations().update(1, { state: 'done' }), begin],
  ['delete on secrets', 'an ended operation', () => operations().update(1, { state: 'done' }), begin],
  [
    'insert on secrets',
    'a memo with a secret',
    () => operations().updateStep(1, 0, { memo: { token: 't' } }),
    begin,
  ],
  [
    'delete on leases',
    'a lease of an ended one’s address',
    () => leases().put({ mac: mac(2), address: '10.0.0.5', expiresAt: later(300) }, later(200)),
    nothing,
  ],
  [
    'insert on leases',
    'a lease of an ended one’s address',
    () => leases().put({ mac: mac(2), address: '10.0.0.5', expiresAt: later(300) }, later(200)),
    nothing,
  ],
  [
    'delete on leases',
    'a declined address',
    () => leases().decline({ address: '10.0.0.5', until: later(300) }, NOW),
    nothing,
  ],
  [
    'delete on declined_addresses',
    'a declined address',
    () => leases().decline({ address: '10.0.0.5', until: later(300) }, later(200)),
    nothing,
  ],
  [
    'insert on declined_addresses',
    'a declined address',
    () => leases().decline({ address: '10.0.0.5', until: later(300) }, later(200)),
    nothing,
  ],
  [
    'delete on revoked_tokens',
    'a revoked token',
    () => revoked().add('new', later(300), later(200)),
    nothing,
  ],
  [
    'insert on revoked_tokens',
    'a revoked token',
    () => revoked().add('new', later(300), later(200)),
    nothing,
  ],
  ['delete on sightings', 'a sighting', () => sighting(1), times(199, sighting)],
  ['delete on history', 'a history entry', () => entry(300), times(300, entry)],
])('a failed %s leaves no half of %s', async (statement, _, work, before) => {
  await before();
  const was = await contents();
  await recorded.rows(
    `create trigger failing before ${statement} begin select raise(abort, 'disk on fire'); end`,
  );
  await expect(work()).rejects.toThrow('disk on fire');
  expect(await contents()).toEqual(was);
  await recorded.rows('drop trigger failing');
  await work();
  expect(await contents()).not.toEqual(was);
});

it('a heartbeat that is not stored is told', async () => {
  await nodes().openSession('n1', { token: 'token', certificate: null }, NOW);
  await recorded.rows(
    "create trigger failing before update on nodes begin select raise(abort, 'disk on fire'); end",
  );
  await expect(nodes().heartbeat('n1', SESSION, NOW)).rejects.toThrow('disk on fire');
});
