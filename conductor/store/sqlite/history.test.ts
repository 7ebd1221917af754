import { afterEach, beforeEach, expect, it } from 'vitest';
import { openRecordedDatabase, type RecordedDatabase } from '../../../test/fakes/recorded-database.ts';
import type { HistoryEntry, HistoryStore } from '../../domain/store/history.ts';
import { expectError, later, NOW, newNode } from '../conformance/samples.ts';
import { createHistoryStore } from './history.ts';
import { createNodeStore } from './nodes.ts';

let recorded: RecordedDatabase;
let history: HistoryStore;
beforeEach(async () => {
  recorded = await openRecordedDatabase();
  history = createHistoryStore(recorded.db);
  for (const uuid of ['n1', 'n2']) await createNodeStore(recorded.db).create(newNode({ uuid }), NOW);
});
afterEach(() => recorded[Symbol.asyncDispose]());

const entry = (nodeUuid: string, number: number): HistoryEntry => ({
  uuid: `${nodeUuid}-${number}`,
  nodeUuid,
  createdAt: later(number),
  severity: 'INFO',
  eventType: 'power',
  event: 'powered on',
  conductor: 'here',
  user: null,
  project: null,
  state: null,
  targetProvisionState: null,
  durationSeconds: 0,
});
const uuids = async (nodeUuid: string, page: { limit: number; marker?: string }) =>
  (await history.list(nodeUuid, page)).map(({ uuid }) => uuid);

it('an entry comes back as it was, without the number of its row', async () => {
  await history.add(entry('n1', 1));
  expect(await history.find('n1', 'n1-1')).toStrictEqual(entry('n1', 1));
  expect(await history.list('n1', { limit: 1 })).toStrictEqual([entry('n1', 1)]);
});

it('a refused entry says what is wrong with it', async () => {
  await history.add(entry('n1', 1));
  const again = 'A history entry with UUID n1-1 already exists.';
  await expectError(history.add(entry('n1', 1)), 'conflict', again);
  await expectError(history.add(entry('gone', 1)), 'notFound', 'Node gone could not be found.');
});

it('a page has entries of its node alone, after a marker of its node', async () => {
  for (const number of [1, 2, 3]) for (const node of ['n1', 'n2']) await history.add(entry(node, number));
  expect(await uuids('n1', { limit: 2 })).toEqual(['n1-1', 'n1-2']);
  expect(await uuids('n1', { limit: 2, marker: 'n1-1' })).toEqual(['n1-2', 'n1-3']);
  const text = 'History entry n2-1 could not be found.';
  await expectError(uuids('n1', { limit: 2, marker: 'n2-1' }), 'notFound', text);
  expect(await history.find('n1', 'n2-1')).toBeUndefined();
});
