/** A record store on a table that exists only in this test. */
import { sql } from 'kysely';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Recorded } from '../../domain/resources.ts';
import type { RecordScope, RecordStore } from '../../domain/store/records.ts';
import { ALL, expectError, later, NOW } from '../conformance/samples.ts';
import { createDatabase, type Database } from './database.ts';
import { createRecordStore, type RecordTable } from './record-store.ts';
import { openSqlite } from './sqlite.ts';

interface Disk extends Recorded {
  readonly name: string | null;
  readonly nodeUuid: string | null;
  readonly serial: string | null;
  readonly slot: number | null;
  readonly description: string | null;
}

const DISKS: RecordTable = {
  table: 'disks',
  label: 'Array disk',
  columns: {
    id: 'integer',
    uuid: 'text',
    name: 'text',
    nodeUuid: 'text',
    serial: 'text',
    slot: 'integer',
    description: 'text',
    createdAt: 'time',
    updatedAt: 'time',
  },
  named: true,
  unique: { serial: { serial: 'serial' }, node_uuid: { node: 'nodeUuid', slot: 'slot' } },
};

let db: Database;
let disks: RecordStore<Disk>;
beforeEach(async () => {
  db = createDatabase(openSqlite(':memory:'));
  for (const statement of [
    'create table nodes (uuid text primary key, owner text, lessee text, shard text, conductor_group text)',
    `create table disks (id integer primary key, uuid text unique, name text, node_uuid text references nodes (uuid),
      serial text unique, slot integer check (slot < 100), description text, created_at integer,
      updated_at integer, unique (node_uuid, slot))`,
    'create table parts (disk text references disks (uuid))',
    "insert into nodes values ('n1', 'A', 'B', 'east', 'blue'), ('n2', 'B', null, 'west', 'red')",
  ])
    await sql.raw(statement).execute(db.query);
  disks = createRecordStore<Disk>(db, DISKS);
});
afterEach(() => db.close());

const create = (uuid: string, fields: Partial<Disk> = {}) => disks.create({ uuid, ...fields }, NOW);

describe('a record', () => {
  it('is found by uuid and, in a table with names, by name', async () => {
    const disk = await create('d1', { name: 'first' });
    expect(disk).toMatchObject({ uuid: 'd1', name: 'first', createdAt: NOW, updatedAt: null });
    expect([await disks.find('d1'), await disks.get('first')]).toEqual([disk, disk]);
    const unnamed = createRecordStore<Disk>(db, { ...DISKS, named: false });
    expect(await unnamed.find('d1')).toEqual(disk);
    expect(await unnamed.find('first')).toBeUndefined();
  });

  it('that is not there is named by its label, in every call that needs it', async () => {
    const text = 'Array disk gone could not be found.';
    await expectError(disks.get('gone'), 'notFound', text);
    await expectError(disks.update('gone', { slot: 1 }, NOW), 'notFound', text);
    await expectError(disks.delete('gone'), 'notFound', text);
    await expectError(disks.list({}, { ...ALL, marker: 'gone' }), 'notFound', text);
    expect(await disks.find('gone')).toBeUndefined();
  });

  it('is changed and deleted by uuid alone', async () => {
    await create('d1', { name: 'first' });
    expect(await disks.update('d1', { slot: 7 }, later(5))).toMatchObject({ slot: 7, updatedAt: later(5) });
    await expectError(disks.update('first', { slot: 8 }, NOW), 'notFound', 'first');
    await expectError(disks.delete('first'), 'notFound', 'first');
    await disks.delete('d1');
    expect(await disks.find('d1')).toBeUndefined();
  });
});

describe('a value that exists once', () => {
  beforeEach(() => create('d1', { nodeUuid: 'n1', slot: 3, serial: 'S1' }));

  it.each<[string, Partial<Disk>, string]>([
    ['d1', {}, 'An array disk with UUID d1 already exists.'],
    ['d2', { serial: 'S1' }, 'An array disk with serial S1 already exists.'],
    ['d2', { nodeUuid: 'n1', slot: 3 }, 'An array disk with node n1 and slot 3 already exists.'],
  ])('refuses a new %s with %j', async (uuid, fields, text) => {
    await expectError(create(uuid, fields), 'conflict', text);
  });

  it('refuses a change, whose error names only what it changes', async () => {
    await create('d2', { nodeUuid: 'n1', slot: 4 });
    const refused = disks.update('d2', { slot: 3 }, NOW);
    await expectError(refused, 'conflict', 'An array disk with slot 3 already exists.');
  });

  it('is called "a" before a consonant', async () => {
    const plates = createRecordStore<Disk>(db, { ...DISKS, label: 'Disk' });
    await expectError(plates.create({ uuid: 'd1' }, NOW), 'conflict', 'A disk with UUID d1');
  });

  it('without words for its error passes the error of the database on', async () => {
    const silent = createRecordStore<Disk>(db, { ...DISKS, unique: {} });
    await expect(silent.create({ uuid: 'd2', serial: 'S1' }, NOW)).rejects.toThrow(
      'UNIQUE constraint failed',
    );
  });
});

it('a record needs the node that it names, and stays while others refer to it', async () => {
  await expectError(create('d1', { nodeUuid: 'gone' }), 'notFound', 'Node gone could not be found.');
  await create('d1');
  await sql`insert into parts values ('d1')`.execute(db.query);
  await expectError(disks.delete('d1'), 'conflict', 'Array disk d1 is in use: other records refer to it.');
});

it('any other refusal of the database passes as it is', async () => {
  await expect(create('d1', { slot: 100 })).rejects.toThrow('CHECK constraint failed');
});

describe('a list', () => {
  beforeEach(async () => {
    await create('d1', { nodeUuid: 'n1', slot: 2, description: 'fast and new' });
    await create('d2', { nodeUuid: 'n2', slot: 1, description: 'slow' });
    await create('d3', { slot: 2 });
  });
  const uuids = async (filter: Partial<Disk>, rows: object = {}, scope?: RecordScope) =>
    (await disks.list(filter, { ...ALL, ...rows }, scope)).map(({ uuid }) => uuid);

  it('has the records that have all values of the filter', async () => {
    expect(await uuids({})).toEqual(['d1', 'd2', 'd3']);
    expect(await uuids({ slot: 2 })).toEqual(['d1', 'd3']);
    expect(await uuids({ slot: 2, nodeUuid: 'n1' })).toEqual(['d1']);
  });

  it('is sorted, and a page begins after its marker', async () => {
    expect(await uuids({}, { sortKey: 'slot' })).toEqual(['d2', 'd1', 'd3']);
    expect(await uuids({}, { sortKey: 'slot', marker: 'd2', limit: 1 })).toEqual(['d1']);
    expect(await uuids({}, { sortKey: 'slot', sortDir: 'desc', marker: 'd3' })).toEqual(['d1', 'd2']);
  });

  it.each<[RecordScope, string[]]>([
    [{ project: 'A' }, ['d1']],
    [{ project: 'B' }, ['d1', 'd2']],
    [{ project: 'C' }, []],
    [{ shards: ['west', 'north'] }, ['d2']],
    [{ shards: [] }, []],
    [{ conductorGroups: ['blue', 'red'] }, ['d1', 'd2']],
    [{ conductorGroups: [] }, []],
    [{ descriptionContains: 'AND' }, ['d1']],
    [{ project: 'B', shards: ['west'] }, ['d2']],
  ])('of %j has %j', async (scope, found) => {
    expect(await uuids({}, {}, scope)).toEqual(found);
  });
});
