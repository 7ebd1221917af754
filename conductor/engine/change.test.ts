import { expect, it } from 'vitest';
import { startPartsRig } from '../../test/fakes/engine-parts.ts';
import { sampleStep } from '../../test/fakes/engine-samples.ts';
import { applyChange, type Change } from './change.ts';

async function applied(change: Change) {
  await using rig = await startPartsRig();
  const node = await rig.add();
  const steps = [sampleStep({ step: 'a' }), sampleStep({ step: 'b' })];
  const operation = await rig.store.operations.create(
    { nodeUuid: node.uuid, kind: 'clean', args: {}, steps },
    rig.clock.now,
  );
  const returned = await rig.store.transaction((tx) =>
    applyChange(tx, operation, node, change, rig.clock.now),
  );
  return { node, returned, stored: await rig.find('n1'), operation: (await rig.store.operations.find(1))! };
}

it('changes step, operation, the steps that follow and the node', async () => {
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

it('leaves what it does not name as it is', async () => {
  const { node, returned, stored } = await applied({});
  expect(returned).toBe(node);
  expect(stored).toEqual(node);
});
