import { expect, it } from 'vitest';
import { sampleStep } from '../../test/fakes/engine-samples.ts';
import { startTestEngineParts } from '../../test/fakes/test-engine-parts.ts';
import { applyChange, type Change } from './change.ts';

async function applied(change: Change) {
  await using test = await startTestEngineParts();
  const node = await test.add();
  const steps = [sampleStep({ step: 'a' }), sampleStep({ step: 'b' })];
  const operation = await test.store.operations.create(
    { nodeUuid: node.uuid, kind: 'clean', args: {}, steps },
    test.clock.now,
  );
  const returned = await test.store.transaction((tx) =>
    applyChange(tx, operation, node, change, test.clock.now),
  );
  return { node, returned, stored: await test.find('n1'), operation: (await test.store.operations.find(1))! };
}

it('changes step, operation, the following steps and the node', async () => {
  const { returned, stored, operation } = await applied({
    step: { index: 0, patch: { state: 'done' } },
    operation: { cursor: 1 },
    newSteps: { fromIndex: 1, steps: [sampleStep({ step: 'c' }), sampleStep({ step: 'b' })] },
    node: { lastError: 'x' },
  });
  expect(operation.cursor).toBe(1);
  expect(operation.steps.map(({ step, state }) => `${step} ${state}`)).toEqual([
    'a done',
    'c pending',
    'b pending',
  ]);
  expect(stored.lastError).toBe('x');
  expect(returned).toEqual(stored);
});

it('leaves everything else unchanged', async () => {
  const { node, returned, stored } = await applied({});
  expect(returned).toBe(node);
  expect(stored).toEqual(node);
});
