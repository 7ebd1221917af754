import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openRecordedDatabase, type RecordedDatabase } from '../../../test/fakes/recorded-database.ts';
import { MASK } from '../../domain/secrets.ts';
import { mac, NOW, newNode, newPort } from '../conformance/samples.ts';
import {
  deleteOne,
  FREE,
  findByAddresses,
  findOne,
  hold,
  keepToken,
  openSession,
  peekOne,
  release,
  storeHeartbeat,
  updateOne,
} from './node-statements.ts';
import { createNodeStore } from './nodes.ts';
import { createRecordStore } from './record-store.ts';
import { RECORD_TABLES } from './record-tables.ts';

let recorded: RecordedDatabase;
beforeEach(async () => {
  recorded = await openRecordedDatabase();
  const nodes = createNodeStore(recorded.db);
  for (const uuid of ['n1', 'n2']) await nodes.create(newNode({ uuid, name: `name of ${uuid}` }), NOW);
  const ports = createRecordStore(recorded.db, RECORD_TABLES.ports);
  await ports.create(newPort('n1', mac(1)), NOW);
  await ports.create(newPort('n1', mac(2)), NOW);
  await ports.create(newPort('n2', mac(3)), NOW);
});
afterEach(() => recorded[Symbol.asyncDispose]());

const row = async (uuid: string) =>
  (await recorded.rows<Record<string, unknown>>(`select * from nodes where uuid = '${uuid}'`))[0]!;
const tokens = () =>
  recorded.rows<object>("select node_uuid, value from secrets where pointer = '/agentToken'");
const holder = (owner: string, since: number, deadline: number) => ({
  uuid: 'n1',
  owner,
  purpose: 'work',
  since,
  deadline,
});
const heartbeat = { uuid: 'n1', url: 'http://a', version: '1', ca: null, at: 7 };

describe('a statement that runs all day finds its rows by an index', () => {
  it.each<[string, () => Promise<unknown>]>([
    ['find', () => findOne(recorded.db, { ident: 'n1' })],
    ['peek', () => peekOne(recorded.db, { ident: 'n1' })],
    ['update', () => updateOne(recorded.db, ['extra'], { extra: '{}', $uuid: 'n1' })],
    ['find by addresses', () => findByAddresses(recorded.db, ['a', 'b'], { a: mac(1), b: mac(2) })],
    ['open a session', () => openSession(recorded.db, { uuid: 'n1', ca: null, proven: 0, at: 1 })],
    ['store a heartbeat', () => storeHeartbeat(recorded.db, heartbeat)],
    ['hold', () => hold(recorded.db, holder('here', 1, 2))],
    ['release', () => release(recorded.db, { uuid: 'n1', owner: 'here' })],
    ['delete', () => deleteOne(recorded.db, { uuid: 'n1' })],
  ])('%s', async (_, work) => {
    const plans = await recorded.plansOf(work);
    expect(plans).toHaveLength(1);
    expect(plans[0]).toMatch(/SEARCH nodes USING/);
    expect(plans[0]).not.toMatch(/SCAN|TEMP B-TREE/);
  });
});

it('a node is found by uuid and by name', async () => {
  for (const find of [findOne, peekOne]) {
    for (const ident of ['n1', 'name of n1'])
      expect((await find(recorded.db, { ident })).rows).toMatchObject([{ uuid: 'n1', secrets: '{}' }]);
    expect((await find(recorded.db, { ident: 'n3' })).rows).toEqual([]);
  }
});

it('nodes are found by the addresses of their ports, each once', async () => {
  const find = async (...macs: string[]) => {
    const placeholders = Object.fromEntries(macs.map((address, at) => [`m${at}`, address]));
    return (await findByAddresses(recorded.db, Object.keys(placeholders), placeholders)).rows
      .map(({ uuid }) => uuid)
      .toSorted();
  };
  expect(await find(mac(1), mac(2))).toEqual(['n1']);
  expect(await find(mac(2), mac(3), mac(9))).toEqual(['n1', 'n2']);
  expect(await find(mac(9))).toEqual([]);
});

describe('the session of an agent', () => {
  it('opens once, with nothing of the one before', async () => {
    await recorded.rows("update nodes set agent_url = 'old', agent_last_heartbeat_at = 1 where uuid = 'n1'");
    expect((await openSession(recorded.db, { uuid: 'n1', ca: null, proven: 0, at: 5 })).numAffectedRows).toBe(
      1n,
    );
    expect(await row('n1')).toMatchObject({
      agent_present: 1,
      agent_url: null,
      agent_token: MASK,
      agent_last_heartbeat_at: null,
      updated_at: 5,
    });
    expect((await openSession(recorded.db, { uuid: 'n1', ca: null, proven: 0, at: 6 })).numAffectedRows).toBe(
      0n,
    );
    expect(await row('n2')).toMatchObject({ agent_token: null });
  });

  it('has one token, the last', async () => {
    for (const token of ['"first"', '"second"']) await keepToken(recorded.db, { uuid: 'n1', token });
    await keepToken(recorded.db, { uuid: 'n2', token: '"other"' });
    expect(await tokens()).toEqual([
      { node_uuid: 'n1', value: '"second"' },
      { node_uuid: 'n2', value: '"other"' },
    ]);
  });

  it('has heartbeats only while it is open', async () => {
    expect((await storeHeartbeat(recorded.db, heartbeat)).numAffectedRows).toBe(0n);
    expect(await row('n1')).toMatchObject({ agent_url: null });
    await openSession(recorded.db, { uuid: 'n1', ca: null, proven: 0, at: 5 });
    expect((await storeHeartbeat(recorded.db, heartbeat)).numAffectedRows).toBe(1n);
    expect(await row('n1')).toMatchObject({ agent_url: 'http://a', agent_last_heartbeat_at: 7 });
    expect(await row('n2')).toMatchObject({ agent_url: null });
  });
});

describe('a hold', () => {
  const take = async (owner: string, since: number, deadline: number) =>
    (await hold(recorded.db, holder(owner, since, deadline))).numAffectedRows === 1n;

  it('is taken by one, and again by its owner past its deadline', async () => {
    expect(await take('here', 10, 20)).toBe(true);
    expect(await take('there', 30, 40)).toBe(false);
    expect(await take('here', 20, 40)).toBe(false);
    expect(await take('here', 21, 40)).toBe(true);
    expect(await row('n1')).toMatchObject({ holder_owner: 'here', holder_since: 21, holder_deadline: 40 });
  });

  it('ends by its owner alone', async () => {
    await take('here', 10, 20);
    await release(recorded.db, { uuid: 'n1', owner: 'there' });
    expect((await row('n1'))['holder_owner']).toBe('here');
    await release(recorded.db, { uuid: 'n1', owner: 'here' });
    expect(await row('n1')).toMatchObject(FREE);
  });
});
