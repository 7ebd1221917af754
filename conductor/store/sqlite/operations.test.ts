import { afterEach, beforeEach, expect, it } from 'vitest';
import { openRecordedDatabase, type RecordedDatabase } from '../../../test/fakes/recorded-database.ts';
import type { OperationStore } from '../../domain/store/operations.ts';
import { expectError, later, NOW, newNode, step } from '../conformance/samples.ts';
import { createNodeStore } from './nodes.ts';
import { createOperationStore } from './operations.ts';

let recorded: RecordedDatabase;
let operations: OperationStore;
beforeEach(async () => {
  recorded = await openRecordedDatabase();
  operations = createOperationStore(recorded.db);
  for (const uuid of ['n1', 'n2']) await createNodeStore(recorded.db).create(newNode({ uuid }), NOW);
});
afterEach(() => recorded[Symbol.asyncDispose]());

const begin = (nodeUuid: string, password = 'p') =>
  operations.create(
    { nodeUuid, kind: 'rescue', args: { rescue_password: password }, steps: [step('a'), step('b')] },
    NOW,
  );
const finish = async (nodeUuid: string) =>
  operations.update((await begin(nodeUuid)).id, { state: 'done', finishedAt: NOW });
const secrets = () =>
  recorded.rows<{ operation_id: number }>('select operation_id, pointer, value from secrets');

it('the operation at work is found by the index of those at work', async () => {
  const { id } = await begin('n1');
  const plans = await recorded.plansOf(() => operations.current('n1'));
  expect(plans).toEqual([expect.stringContaining('SEARCH operations USING INDEX operations_current')]);
  await operations.update(id, { state: 'waiting' });
  expect((await operations.current('n1'))?.id).toBe(id);
  await operations.update(id, { state: 'aborted' });
  expect(await operations.current('n1')).toBeUndefined();
});

it('a node keeps the newest 100, whatever others have', async () => {
  const other = await finish('n2');
  const first = await finish('n1');
  for (let n = 1; n < 100; n += 1) await finish('n1');
  expect((await operations.list('n1', 1_000)).at(-1)?.id).toBe(first.id);
  await finish('n1');
  const kept = await operations.list('n1', 1_000);
  expect(kept).toHaveLength(100);
  expect(kept.at(-1)?.id).not.toBe(first.id);
  expect(await operations.find(other.id)).toBeDefined();
});

it('secrets are in rows of their own until the operation has ended', async () => {
  const first = await begin('n1', 'one');
  const second = await begin('n2', 'two');
  const rowOf = (id: number) => ({
    operation_id: id,
    pointer: '/args/rescue_password',
    value: expect.stringMatching(/^"enc1:/),
  });
  expect(await secrets()).toEqual([rowOf(first.id), rowOf(second.id)]);
  await operations.update(first.id, { cursor: 1 });
  expect(await secrets()).toHaveLength(2);
  await operations.update(first.id, { state: 'failed' });
  expect(await secrets()).toEqual([rowOf(second.id)]);
});

it('the times of a step come back as they were written', async () => {
  const { id } = await begin('n1');
  await operations.updateStep(id, 1, { startedAt: NOW, finishedAt: later(1) });
  expect((await operations.find(id))?.steps).toMatchObject([
    { startedAt: null, finishedAt: null },
    { startedAt: NOW, finishedAt: later(1) },
  ]);
});

it('a change of an operation that is gone is not found, and one of nothing writes nothing', async () => {
  await expectError(operations.updateStep(99, 0, {}), 'notFound', 'Operation 99 could not be found.');
  await expectError(operations.replaceSteps(99, 0, []), 'notFound', 'Operation 99');
  const operation = await begin('n1');
  expect(await operations.update(operation.id, {})).toEqual(operation);
});
