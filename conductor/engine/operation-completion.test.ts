import { describe, expect, it } from 'vitest';
import { type PartsRig, type PartsRigOptions, startPartsRig } from '../../test/fakes/engine-parts.ts';
import { sampleStep } from '../../test/fakes/engine-samples.ts';
import { failingStore } from '../../test/fakes/failing-store.ts';
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

async function begun(rig: PartsRig, kind: OperationKind, fields: Partial<NewNode> = {}, steps: Step[] = []) {
  const node = await rig.add({ provisionState: OPERATIONS[kind].states.busy, ...fields });
  const args = { requestedBy: { user: 'ann', project: 'p1' }, more: true };
  const made = { nodeUuid: node.uuid, kind, args, steps };
  const operation = await rig.store.operations.create(made, rig.clock.now);
  return { node, operation, hardware: rig.parts.hardware.of(node) };
}
const broken = new IngotError('agentFailure', 'the disk is on fire');
const newest = async (rig: PartsRig) => (await rig.store.operations.list('n1', 1))[0];

describe('an operation that ends well', () => {
  it('is done, moves the node and stands in its history', async () => {
    await using rig = await startPartsRig();
    const { operation, node } = await begun(rig, 'deploy');
    await finishOperation(rig.parts, operation, node);
    expect(await newest(rig)).toMatchObject({ state: 'done', finishedAt: rig.clock.now });
    expect(await rig.find('n1')).toMatchObject({ provisionState: 'active', targetProvisionState: null });
    expect(await rig.store.history.list('n1', { limit: 5 })).toMatchObject([
      {
        severity: 'INFO',
        event: 'deploy finished',
        eventType: 'deploying',
        user: 'ann',
        state: 'deploying',
        conductor: 'test-conductor',
      },
    ]);
    expect(rig.told).toEqual([]);
  });

  it('deleting goes over into cleaning, for whoever asked, and ends the allocation', async () => {
    await using rig = await startPartsRig({ steps: { deploy: [erase] } });
    const { operation, node } = await begun(rig, 'delete', { instanceName: 'web' });
    const allocation = await rig.store.allocations.create({ uuid: 'a1', state: 'active' }, rig.clock.now);
    await rig.store.nodes.update(node.uuid, { allocationUuid: allocation.uuid }, rig.clock.now);
    await finishOperation(rig.parts, operation, await rig.find('n1'));
    expect(await rig.find('n1')).toMatchObject({ provisionState: 'cleaning', instanceName: null });
    expect(await rig.store.allocations.find('a1')).toBeUndefined();
    const { args, steps, kind, state } = (await newest(rig))!;
    expect({ args, kind, state }).toEqual({
      args: { requestedBy: { user: 'ann', project: 'p1' } },
      kind: 'clean',
      state: 'running',
    });
    expect(steps.map(({ step }) => step)).toEqual(['erase']);
  });

  it('changes all or nothing', async () => {
    let dying: ReturnType<typeof failingStore> | undefined;
    const around: PartsRigOptions['around'] = (store) => {
      dying = failingStore(store);
      return dying.store;
    };
    await using rig = await startPartsRig({ around, steps: { deploy: [erase] } });
    const { operation, node } = await begun(rig, 'delete');
    dying!.failAfter(0);
    await expect(finishOperation(rig.parts, operation, node)).rejects.toThrow('the conductor is dead');
    dying!.failAfter(Number.POSITIVE_INFINITY);
    expect(await newest(rig)).toMatchObject({ kind: 'delete', state: 'running' });
    expect(await rig.find('n1')).toMatchObject({ provisionState: 'deleting' });
  });
});

describe('an operation that fails', () => {
  it('stores the error before the machine is switched off, and moves the node after that', async () => {
    const seen: unknown[] = [];
    await using rig = await startPartsRig({
      power: {
        setPowerState: async ({ node }, target) => {
          const { provisionState, bootTarget } = await rig.find(node.uuid);
          const stored = await rig.store.operations.current(node.uuid);
          seen.push([target, stored?.error, stored?.state, provisionState, bootTarget]);
        },
      },
    });
    rig.power.set('n1', 'power on');
    const target = { kind: 'ramdisk', kernelParams: [] } as const;
    const { operation, node, hardware } = await begun(rig, 'deploy', { bootTarget: target }, [sampleStep()]);
    await failOperation(rig.parts, hardware, { operation, node, step: operation.steps[0], error: broken });
    const text = 'deploy step deploy.work failed: the disk is on fire.';
    expect(seen).toEqual([['power off', text, 'running', 'deploying', null]]);
    expect(await newest(rig)).toMatchObject({ state: 'failed', error: text, steps: [{ state: 'failed' }] });
    expect(await rig.find('n1')).toMatchObject({
      provisionState: 'deploy failed',
      powerState: 'power off',
      lastError: text,
    });
    expect(await rig.store.history.list('n1', { limit: 5 })).toMatchObject([
      { severity: 'ERROR', event: text },
    ]);
  });

  it('restarts a machine that has to stay on, without the ramdisk', async () => {
    await using rig = await startPartsRig();
    const { operation, node, hardware } = await begun(rig, 'service', { disablePowerOff: true });
    await failOperation(rig.parts, hardware, { operation, node, step: undefined, error: broken });
    expect(rig.told).toEqual(['n1: rebooting']);
  });

  it.each(['verify', 'delete', 'adopt'] as const)(
    'leaves the power of a machine alone that runs no ramdisk: %s',
    async (kind) => {
      await using rig = await startPartsRig();
      rig.power.set('n1', 'power on');
      const { operation, node, hardware } = await begun(rig, kind);
      await failOperation(rig.parts, hardware, { operation, node, step: undefined, error: broken });
      expect(rig.told).toEqual([]);
      expect(await rig.find('n1')).toMatchObject({ provisionState: OPERATIONS[kind].states.failed });
    },
  );

  it('says that the machine could not be switched off', async () => {
    const setPowerState = () => Promise.reject(new Error('no answer'));
    await using rig = await startPartsRig({ power: { setPowerState } });
    rig.power.set('n1', 'power on');
    const { operation, node, hardware } = await begun(rig, 'rescue');
    await failOperation(rig.parts, hardware, { operation, node, step: undefined, error: broken });
    expect((await rig.find('n1')).lastError).toBe(
      'rescue failed: the disk is on fire. Also, powering the node off failed: no answer',
    );
  });

  it('a clean that was at work puts the node into maintenance, by what is stored of its steps', async () => {
    await using rig = await startPartsRig();
    const { operation, node, hardware } = await begun(rig, 'clean', {}, [sampleStep()]);
    await rig.store.operations.updateStep(operation.id, 0, { state: 'running' });
    await failOperation(rig.parts, hardware, { operation, node, step: operation.steps[0], error: broken });
    expect(await rig.find('n1')).toMatchObject({ maintenance: true, fault: 'clean failure' });
  });
});
