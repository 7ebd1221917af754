import { describe, expect, it } from 'vitest';
import { after, NOW, sampleNode, sampleOperation, sampleStep } from '../../test/fakes/engine-samples.ts';
import { OPERATION_KINDS, OPERATIONS } from '../domain/operations/table.ts';
import type { WaitKind } from '../domain/waiting.ts';
import { nextAction } from './next-action.ts';

const deploying = sampleNode({ provisionState: 'deploying' });
const running = sampleStep({ state: 'running', startedAt: NOW });

const failureOf = (...given: Parameters<typeof nextAction>) => {
  const action = nextAction(...given);
  return action.kind === 'fail' ? [action.error.code, action.error.message] : action.kind;
};

describe('nextAction', () => {
  it('begins the step at the cursor: its start is stored before it is called', () => {
    const step = sampleStep({ args: { a: 1 }, abortable: true });
    const operation = sampleOperation({ steps: [sampleStep({ state: 'done' }), step], cursor: 1 });
    expect(nextAction(operation, deploying, NOW)).toEqual({
      kind: 'run',
      step: { ...step, index: 1, state: 'running', startedAt: NOW },
      begins: {
        step: { index: 1, patch: { state: 'running', startedAt: NOW } },
        node: {
          currentStep: {
            interface: 'deploy',
            step: 'work',
            args: { a: 1 },
            priority: 50,
            where: 'conductor',
            abortable: true,
          },
        },
      },
    });
  });

  it('moves the node out of the wait state when the next step begins', () => {
    const waiting = sampleNode({ provisionState: 'wait call-back' });
    const action = nextAction(sampleOperation(), waiting, NOW);
    expect(action).toMatchObject({
      begins: {
        node: { provisionState: 'deploying', targetProvisionState: 'active', provisionUpdatedAt: NOW },
      },
    });
  });

  it('calls a step that has begun again, and stores nothing for that', () => {
    const operation = sampleOperation({ steps: [running] });
    expect(nextAction(operation, deploying, after(1_000))).toEqual({ kind: 'run', step: running });
  });

  it('fails a boot that can not be trusted before it calls another step', () => {
    const bootTarget = { kind: 'ramdisk', kernelParams: [], breach: 'a stranger asked' } as const;
    const operation = sampleOperation({ steps: [running] });
    const node = sampleNode({ provisionState: 'deploying', bootTarget });
    expect(failureOf(operation, node, NOW)).toEqual(['agentFailure', 'a stranger asked']);
  });

  it('finishes when no step is left, also without any steps and after a late abort', () => {
    const done = sampleStep({ state: 'done' });
    expect(nextAction(sampleOperation({ steps: [] }), deploying, NOW)).toEqual({ kind: 'finish' });
    const late = sampleOperation({ steps: [done], cursor: 1, abortRequested: true });
    expect(nextAction(late, deploying, NOW)).toEqual({ kind: 'finish' });
  });

  it('continues a failure with the stored error, whatever the rest is', () => {
    const operation = sampleOperation({ error: 'the disk is on fire', abortRequested: true, steps: [] });
    expect(failureOf(operation, deploying, after(1e12))).toEqual(['interrupted', 'the disk is on fire']);
  });

  it.each(OPERATION_KINDS)('%s fails when it takes longer than its definition allows', (kind) => {
    const { maxHours, states } = OPERATIONS[kind];
    const node = sampleNode({ provisionState: states.busy });
    const operation = sampleOperation({ kind });
    const limit = maxHours * 3_600_000;
    expect(failureOf(operation, node, after(limit))).toBe('run');
    expect(failureOf(operation, node, after(limit + 1))).toEqual([
      'timeout',
      `the whole operation took longer than ${maxHours} h`,
    ]);
  });

  it('does not count past or current time on hold', () => {
    const hour = 3_600_000;
    const steps = [
      sampleStep({ step: 'hold', state: 'done', startedAt: NOW, finishedAt: after(10 * hour) }),
      sampleStep({ step: 'hold', state: 'running', startedAt: after(11 * hour) }),
    ];
    const operation = sampleOperation({ steps, cursor: 1 });
    expect(failureOf(operation, deploying, after(100 * hour))).toBe('run');
    const worked = sampleOperation({ steps: [steps[0]!, sampleStep()], cursor: 1 });
    expect(failureOf(worked, deploying, after(22 * hour))).toBe('run');
    expect(failureOf(worked, deploying, after(22 * hour + 1))).toMatchObject(['timeout', expect.anything()]);
  });
});

it('counts the time of every step that is not a hold', () => {
  const hour = 3_600_000;
  const long = sampleStep({ step: 'erase', state: 'done', startedAt: NOW, finishedAt: after(11 * hour) });
  const unbegun = sampleStep({ step: 'hold', state: 'pending' });
  const operation = sampleOperation({ steps: [long, sampleStep(), unbegun], cursor: 1 });
  expect(failureOf(operation, deploying, after(12 * hour))).toBe('run');
  expect(failureOf(operation, deploying, after(12 * hour + 1))).toMatchObject(['timeout', expect.anything()]);
});

describe('an abort', () => {
  const asked = (step: typeof running, waitsFor: WaitKind | null = null) =>
    failureOf(
      sampleOperation({
        abortRequested: true,
        steps: [step],
        waitingFor: waitsFor && { kind: waitsFor, text: 'something' },
      }),
      deploying,
      NOW,
    );
  const cut = ['aborted', 'aborted by the operator'];

  it('ends the operation before a step begins', () => {
    expect(asked(sampleStep())).toEqual(cut);
  });

  it('interrupts an abortable step, and lets others run to their end', () => {
    expect(asked({ ...running, abortable: true })).toEqual(cut);
    expect(asked(running)).toBe('run');
  });

  it.each([
    ['agent', cut],
    ['command', 'run'],
    ['image', 'run'],
    ['hardware', 'run'],
    ['time', 'run'],
    ['operator', 'run'],
  ] as const)('in a wait for %s of a step that may not be cut', (kind, expected) => {
    expect(asked(running, kind)).toEqual(expected);
  });

  it('uses the kind of a wait, not its text', () => {
    const waitingFor = { kind: 'command', text: 'agent_of_doom' } as const;
    const operation = sampleOperation({ abortRequested: true, steps: [running], waitingFor });
    expect(failureOf(operation, deploying, NOW)).toBe('run');
  });
});
