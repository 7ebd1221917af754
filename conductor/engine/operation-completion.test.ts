import { describe, expect, it } from 'vitest';
import { sampleStep } from '../../test/fakes/engine-samples.ts';
import { failingStore } from '../../test/fakes/failing-store.ts';
import {
  startTestEngineParts,
  type TestEngineParts,
  type TestEnginePartsOptions,
} from '../../test/fakes/test-engine-parts.ts';
import type { StepImplementation } from '../domain/drivers.ts';
import { IngotError } from '../domain/errors.ts';
import type { NewNode } from '../domain/node.ts';
import { OPERATIONS, type OperationKind } from '../domain/operations/table.ts';
import type { Step } from '../domain/steps.ts';
import { failOperation, finishOperation } from './operation-completion.ts';

const erase: StepImplementation = {
  operation: 'clean',
  step: 'erase',
  priority: 10,
  abortable: true,
  onRestart: 'resume',
  advance: async () => ({ kind: 'done' }),
};

async function begun(
  test: TestEngineParts,
  kind: OperationKind,
  fields: Partial<NewNode> = {},
  steps: Step[] = [],
) {
  const node = await test.add({ provisionState: OPERATIONS[kind].states.busy, ...fields });
  const args = { requestedBy: { user: 'ann', project: 'p1' }, more: true };
  const made = { nodeUuid: node.uuid, kind, args, steps };
  const operation = await test.store.operations.create(made, test.clock.now);
  return { node, operation, hardware: test.parts.hardware.of(node) };
}
const broken = new IngotError('agentFailure', 'the disk is on fire');
const newest = async (test: TestEngineParts) => (await test.store.operations.list('n1', 1))[0];

describe('an operation that succeeds', () => {
  it('is not over when its allocation cannot be deleted', async () => {
    const failing: TestEnginePartsOptions['around'] = (store) => ({
      ...store,
      transaction: (work) =>
        store.transaction(async (tx) => {
          const refuse = () => Promise.reject(new Error('disk on fire'));
          const allocations = { value: { ...tx.allocations, delete: refuse } };
          return work(Object.create(tx, { allocations }) as typeof tx);
        }),
    });
    await using test = await startTestEngineParts({ around: failing });
    const { operation, node } = await begun(test, 'delete');
    const finished = finishOperation(test.parts, operation, { ...node, allocationUuid: 'a1' });
    await expect(finished).rejects.toThrow('disk on fire');
    expect(await newest(test)).toMatchObject({ state: 'running' });
    expect((await test.find('n1')).provisionState).toBe(node.provisionState);
  });

  it('is done, moves the node and is added to its history', async () => {
    await using test = await startTestEngineParts();
    const { operation, node } = await begun(test, 'deploy');
    await finishOperation(test.parts, operation, node);
    expect(await newest(test)).toMatchObject({ state: 'done', finishedAt: test.clock.now });
    expect(await test.find('n1')).toMatchObject({ provisionState: 'active', targetProvisionState: null });
    expect(await test.store.history.list('n1', { limit: 5 })).toMatchObject([
      {
        severity: 'INFO',
        event: 'deploy finished',
        eventType: 'deploying',
        user: 'ann',
        state: 'deploying',
        conductor: 'test-conductor',
      },
    ]);
    expect(test.told).toEqual([]);
  });

  it('deleting continues with cleaning for the same caller, and deletes the allocation', async () => {
    await using test = await startTestEngineParts({ steps: { deploy: [erase] } });
    const { operation, node } = await begun(test, 'delete', { instanceName: 'web' });
    const allocation = await test.store.allocations.create({ uuid: 'a1', state: 'active' }, test.clock.now);
    await test.store.nodes.update(node.uuid, { allocationUuid: allocation.uuid }, test.clock.now);
    await finishOperation(test.parts, operation, await test.find('n1'));
    expect(await test.find('n1')).toMatchObject({ provisionState: 'cleaning', instanceName: null });
    expect(await test.store.allocations.find('a1')).toBeUndefined();
    const { args, steps, kind, state } = (await newest(test))!;
    expect({ args, kind, state }).toEqual({
      args: { requestedBy: { user: 'ann', project: 'p1' } },
      kind: 'clean',
      state: 'running',
    });
    expect(steps.map(({ step }) => step)).toEqual(['erase']);
  });

  it('changes everything or nothing', async () => {
    let dying: ReturnType<typeof failingStore> | undefined;
    const around: TestEnginePartsOptions['around'] = (store) => {
      dying = failingStore(store);
      return dying.store;
    };
    await using test = await startTestEngineParts({ around, steps: { deploy: [erase] } });
    const { operation, node } = await begun(test, 'delete');
    dying!.failAfter(0);
    await expect(finishOperation(test.parts, operation, node)).rejects.toThrow('the conductor was killed');
    dying!.failAfter(Number.POSITIVE_INFINITY);
    expect(await newest(test)).toMatchObject({ kind: 'delete', state: 'running' });
    expect(await test.find('n1')).toMatchObject({ provisionState: 'deleting' });
  });
});

describe('an operation that fails', () => {
  it('stores the error before the machine is powered off, and then moves the node', async () => {
    const seen: unknown[] = [];
    await using test = await startTestEngineParts({
      power: {
        setPowerState: async ({ node }, target) => {
          const { provisionState, bootTarget } = await test.find(node.uuid);
          const stored = await test.store.operations.current(node.uuid);
          seen.push([target, stored?.error, stored?.state, provisionState, bootTarget]);
        },
      },
    });
    test.power.set('n1', 'power on');
    const target = { kind: 'ramdisk', kernelParams: [] } as const;
    const { operation, node, hardware } = await begun(test, 'deploy', { bootTarget: target }, [sampleStep()]);
    await failOperation(test.parts, hardware, { operation, node, step: operation.steps[0], error: broken });
    const text = 'deploy step deploy.work failed: the disk is on fire.';
    expect(seen).toEqual([['power off', text, 'running', 'deploying', null]]);
    expect(await newest(test)).toMatchObject({ state: 'failed', error: text, steps: [{ state: 'failed' }] });
    expect(await test.find('n1')).toMatchObject({
      provisionState: 'deploy failed',
      powerState: 'power off',
      lastError: text,
    });
    expect(await test.store.history.list('n1', { limit: 5 })).toMatchObject([
      { severity: 'ERROR', event: text },
    ]);
  });

  it('restarts a machine that must stay on, without the ramdisk', async () => {
    await using test = await startTestEngineParts();
    const { operation, node, hardware } = await begun(test, 'service', { disablePowerOff: true });
    await failOperation(test.parts, hardware, { operation, node, step: undefined, error: broken });
    expect(test.told).toEqual(['n1: rebooting']);
  });

  it.each(['verify', 'delete', 'adopt'] as const)(
    'leaves the power of a machine alone that runs no ramdisk: %s',
    async (kind) => {
      await using test = await startTestEngineParts();
      test.power.set('n1', 'power on');
      const { operation, node, hardware } = await begun(test, kind);
      await failOperation(test.parts, hardware, { operation, node, step: undefined, error: broken });
      expect(test.told).toEqual([]);
      expect(await test.find('n1')).toMatchObject({ provisionState: OPERATIONS[kind].states.failed });
    },
  );

  it('reports that the machine could not be powered off', async () => {
    const setPowerState = () => Promise.reject(new Error('no answer'));
    await using test = await startTestEngineParts({ power: { setPowerState } });
    test.power.set('n1', 'power on');
    const { operation, node, hardware } = await begun(test, 'rescue');
    await failOperation(test.parts, hardware, { operation, node, step: undefined, error: broken });
    expect((await test.find('n1')).lastError).toBe(
      'rescue failed: the disk is on fire. Also, powering the node off failed: no answer',
    );
  });

  it('a cleaning with a begun step puts the node into maintenance', async () => {
    await using test = await startTestEngineParts();
    const { operation, node, hardware } = await begun(test, 'clean', {}, [sampleStep()]);
    await test.store.operations.updateStep(operation.id, 0, { state: 'running' });
    await failOperation(test.parts, hardware, { operation, node, step: operation.steps[0], error: broken });
    expect(await test.find('n1')).toMatchObject({ maintenance: true, fault: 'clean failure' });
  });
});
