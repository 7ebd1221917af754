import { afterEach, beforeEach, expect, it } from 'vitest';
import { sampleStep } from '../../test/fakes/engine-samples.ts';
import { startTestEngineParts, type TestEngineParts } from '../../test/fakes/test-engine-parts.ts';
import type { StepImplementation } from '../domain/drivers.ts';
import type { StepOutcome } from '../domain/step-outcome.ts';
import type { StepRecord } from '../domain/steps.ts';
import { runOnChildren } from './child-steps.ts';
import { createStepContext } from './step-context.ts';

let test: TestEngineParts;
let done: string[];
let outcome: StepOutcome;
const flash: StepImplementation = {
  operation: 'clean',
  step: 'flash',
  priority: 0,
  abortable: true,
  onRestart: 'resume',
  advance: async (context) => {
    const { holder } = await test.find(context.node.uuid);
    done.push(`${context.node.uuid} held for ${holder?.purpose}`);
    await context.remember({ of: context.node.uuid });
    return outcome;
  },
};

beforeEach(async () => {
  done = [];
  outcome = { kind: 'done' };
  test = await startTestEngineParts({ steps: { firmware: [flash] } });
  await test.add();
  for (let i = 0; i < 2; i++) await test.add({ parentNode: 'n1' });
});
afterEach(() => test[Symbol.asyncDispose]());

async function run(fields: Partial<StepRecord>) {
  const record = sampleStep({ interface: 'firmware', step: 'flash', ...fields });
  const node = await test.find('n1');
  const { id } = await test.store.operations.create(
    { nodeUuid: 'n1', kind: 'clean', args: {}, steps: [record] },
    test.clock.now,
  );
  if (fields.memo) await test.store.operations.updateStep(id, 0, { memo: fields.memo });
  const operation = (await test.store.operations.find(id))!;
  const { signal } = new AbortController();
  const input = {
    deps: test.parts,
    hardware: test.parts.hardware.of(node),
    operation,
    step: operation.steps[0]!,
    node,
    ports: [],
    signal,
  };
  const result = await runOnChildren(test.parts, input, createStepContext(input));
  return { result, memo: (await test.store.operations.find(id))!.steps[0]!.memo };
}

it('runs on every child under its own lock, and records which are done', async () => {
  const { result, memo } = await run({ onChildren: true });
  expect(result).toEqual({ kind: 'done' });
  expect(done).toEqual(['n2 held for firmware.flash for node n1', 'n3 held for firmware.flash for node n1']);
  expect(memo).toEqual({ done: ['n2', 'n3'] });
  expect((await test.find('n2')).holder).toBeNull();
});

it('runs on the named children, and continues with the remaining ones', async () => {
  await run({ onChildren: ['n3'] });
  expect(done).toEqual(['n3 held for firmware.flash for node n1']);
});

it('continues with the remaining children after a restart', async () => {
  await run({ onChildren: true, memo: { done: ['n2'] } });
  expect(done).toEqual(['n3 held for firmware.flash for node n1']);
});

it('rejects nodes that are not children, and a step that no child has', async () => {
  await expect(run({ onChildren: ['n2', 'n9'] })).rejects.toThrow('n9 is no child of node n1');
  expect(done).toEqual([]);
});

it('fails when a child has no such step', async () => {
  await expect(run({ onChildren: true, step: 'unknown' })).rejects.toThrow(
    'no interface of child node n2 has this step',
  );
});

it('must not wait on a child', async () => {
  outcome = {
    kind: 'wait',
    waitingFor: { kind: 'agent', text: 'agent to call back' },
    deadline: new Date(4e12),
    overdue: '',
  };
  await expect(run({ onChildren: true })).rejects.toThrow('on child node n2 it waits for agent to call back');
});
