import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { after, NOW, sampleStep } from '../../test/fakes/engine-samples.ts';
import { startTestEngineParts, type TestEngineParts } from '../../test/fakes/test-engine-parts.ts';
import type { AgentSession } from '../domain/node.ts';
import { createStepContext, type StepContextInput } from './step-context.ts';

let test: TestEngineParts;
beforeEach(async () => {
  test = await startTestEngineParts();
});
afterEach(() => test[Symbol.asyncDispose]());

async function contextOf(more: Partial<StepContextInput> = {}) {
  const node = more.node ?? (await test.add({ provisionState: 'deploying' }));
  const made = { nodeUuid: node.uuid, kind: 'deploy', args: {}, steps: [sampleStep()] } as const;
  const operation = await test.store.operations.create(made, NOW);
  const { signal } = new AbortController();
  const context = createStepContext({
    deps: test.parts,
    hardware: test.parts.hardware.of(node),
    operation,
    step: operation.steps[0]!,
    node,
    ports: [],
    signal,
    ...more,
  });
  return { context, stored: async () => (await test.store.operations.find(operation.id))!.steps[0]! };
}

describe('the memo of a step', () => {
  it('is merged, visible at once and stored', async () => {
    const { context, stored } = await contextOf();
    await context.remember({ a: 1 });
    await context.remember({ b: 2 });
    expect(context.step.memo).toEqual({ a: 1, b: 2 });
    expect((await stored()).memo).toEqual({ a: 1, b: 2 });
    const progress = { phase: 'write', bytesDone: 1, bytesTotal: 2, bytesPerSecond: null };
    await context.progress(progress);
    expect((await stored()).progress).toEqual(progress);
  });

  it('of a step on a child is not stored in the operation', async () => {
    const { context, stored } = await contextOf({ lent: true });
    await context.remember({ a: 1 });
    expect(context.step.memo).toEqual({ a: 1 });
    expect((await stored()).memo).toEqual({});
  });
});

describe('changes of a step', () => {
  it('are stored, and read by the step afterwards', async () => {
    const { context } = await contextOf();
    await context.updateNode({ extra: { a: 1 } });
    expect(context.node.extra).toEqual({ a: 1 });
    expect((await test.find('n1')).extra).toEqual({ a: 1 });
  });

  it('of power include the related records', async () => {
    const { context } = await contextOf();
    await context.setPower('power on');
    expect(test.told).toEqual(['n1: power on']);
    expect(context.node.powerState).toBe('power on');
  });

  it('are refused after the lock has ended', async () => {
    const { context } = await contextOf({ signal: AbortSignal.abort(new Error('overdue')) });
    await expect(context.remember({ a: 1 })).rejects.toThrow('overdue');
    await expect(context.updateNode({ extra: { a: 1 } })).rejects.toThrow('overdue');
    await expect(context.setPower('power on')).rejects.toThrow('overdue');
    expect(test.told).toEqual([]);
    expect((await test.find('n1')).extra).toEqual({});
  });
});

describe('what a step can read', () => {
  it('the heartbeats since a time', async () => {
    const agent: AgentSession = {
      url: null,
      token: null,
      version: null,
      verifyCa: null,
      proven: false,
      lastHeartbeatAt: NOW,
    };
    const { context } = await contextOf({ node: await test.add({ agent }) });
    expect(context.heartbeatSince(NOW)).toEqual(NOW);
    expect(context.heartbeatSince(after(1))).toBeUndefined();
    const { context: silent } = await contextOf({ node: await test.add() });
    expect(silent.heartbeatSince(new Date(0))).toBeUndefined();
  });

  it('the progress of the boot, from the sightings of its node', async () => {
    const { context } = await contextOf();
    const nothing = await context.bootProgress(NOW);
    await test.store.sightings.add({ kind: 'power on', at: NOW, nodeUuid: 'n1' });
    await test.store.sightings.add({ kind: 'lookup', at: after(10), nodeUuid: 'n1' });
    const seen = await context.bootProgress(NOW);
    expect(seen.message).not.toBe(nothing.message);
    expect(seen.overdue).toBe(false);
    test.clock.now = after(7_200_000);
    expect((await context.bootProgress(NOW)).overdue).toBe(true);
  });
});
