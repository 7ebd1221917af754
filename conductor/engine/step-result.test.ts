import { describe, expect, it } from 'vitest';
import { after, NOW, sampleNode, sampleOperation, sampleStep } from '../../test/fakes/engine-samples.ts';
import type { ProvisionState } from '../domain/states.ts';
import type { StepOutcome } from '../domain/step-outcome.ts';
import type { Step } from '../domain/steps.ts';
import { resultOf } from './step-result.ts';

const running = sampleStep({ state: 'running', startedAt: NOW });
const inState = (provisionState: ProvisionState) => sampleNode({ provisionState });
const made = (fields: Parameters<typeof sampleOperation>[0] = {}, state: ProvisionState = 'deploying') => {
  const operation = sampleOperation({ steps: [running, sampleStep({ step: 'next' })], ...fields });
  return { operation, step: operation.steps[operation.cursor]!, node: inState(state) };
};

const callBack: StepOutcome = {
  kind: 'wait',
  waitingFor: { kind: 'agent', text: 'agent to call back' },
  deadline: after(60_000),
  overdue: 'nobody came',
};

describe('a step that is done', () => {
  it('is stored with the next cursor, and the wait is removed', () => {
    expect(resultOf(made(), { kind: 'done' }, after(5))).toEqual({
      change: {
        step: { index: 0, patch: { state: 'done', finishedAt: after(5) } },
        operation: { state: 'running', cursor: 1, waitingFor: null, deadline: null, wakeAt: null },
      },
      lookAgain: 'now',
    });
  });

  it('moves the node out of the wait state', () => {
    const { change } = resultOf(made({}, 'wait call-back'), { kind: 'done' }, NOW);
    expect(change?.node).toEqual({
      provisionState: 'deploying',
      targetProvisionState: 'active',
      provisionUpdatedAt: NOW,
    });
  });
});

describe('in-band steps that became known', () => {
  const step = (name: string, priority: number, where: Step['where'] = 'agent'): Step => ({
    interface: 'deploy',
    step: name,
    args: {},
    priority,
    where,
    abortable: false,
  });
  const record = (one: Step, state: 'done' | 'running' | 'pending') => sampleStep({ ...one, state });
  const insert = [step('erase', 10), step('burn', 30), step('boot', 99)];
  const steps = [
    record(step('boot', 100, 'conductor'), 'running'),
    record(step('write', 20, 'conductor'), 'pending'),
  ];
  const names = (all: readonly Step[] | undefined) => all?.map((one) => one.step);

  it('are merged with the remaining steps by priority; a done step does not run again', () => {
    const { change } = resultOf(made({ steps }), { kind: 'done', insert }, NOW);
    expect(change?.newSteps?.fromIndex).toBe(1);
    expect(names(change?.newSteps?.steps)).toEqual(['burn', 'write', 'erase']);
  });

  it('are left out when the operator disabled them, and when the operator listed the steps', () => {
    const without = made({ steps, args: { disabledSteps: ['deploy.burn'] } });
    expect(names(resultOf(without, { kind: 'done', insert }, NOW).change?.newSteps?.steps)).toEqual([
      'write',
      'erase',
    ]);
    const manual = made({ steps, args: { manual: true } });
    expect(names(resultOf(manual, { kind: 'done', insert }, NOW).change?.newSteps?.steps)).toEqual(['write']);
  });

  it('reveal steps of the operator that neither driver nor agent has', () => {
    const asked = made({ steps: [...steps, record(step('unheard_of', 5), 'pending')] });
    expect(() => resultOf(asked, { kind: 'done', insert }, NOW)).toThrow(
      'neither the driver nor the agent on this node knows the step deploy.unheard_of',
    );
    expect(() => resultOf(asked, { kind: 'done' }, NOW)).not.toThrow();
  });
});

describe('a step that waits', () => {
  const waiting = {
    state: 'waiting',
    waitingFor: callBack.kind === 'wait' ? callBack.waitingFor : null,
  } as const;

  it('moves the node into the wait state and is advanced again at the deadline', () => {
    expect(resultOf(made(), callBack, NOW)).toEqual({
      change: {
        operation: { ...waiting, deadline: after(60_000), wakeAt: after(60_000) },
        node: {
          provisionState: 'wait call-back',
          targetProvisionState: 'active',
          provisionUpdatedAt: NOW,
        },
      },
      lookAgain: after(60_000),
    });
  });

  it.each([
    ['before', 1_000, 1_000],
    ['after', 90_000, 60_000],
  ])('is looked at again when it says so, if that is before its deadline: %s', (_, wakeMs, lookMs) => {
    expect(resultOf(made(), { ...callBack, wakeAt: after(wakeMs) }, NOW).lookAgain).toEqual(after(lookMs));
  });

  it('stores nothing while nothing has changed', () => {
    const still = made({ ...waiting, deadline: after(60_000) }, 'wait call-back');
    expect(resultOf(still, callBack, after(10))).toEqual({ lookAgain: after(60_000) });
  });

  it.each([
    ['kind', { waitingFor: { kind: 'command', text: 'agent to call back' } }],
    ['text', { waitingFor: { kind: 'agent', text: 'agent to answer' } }],
    ['deadline', { deadline: after(61_000) }],
  ] as const)('stores what it waits for when its %s has changed', (_, changed) => {
    const still = made({ ...waiting, deadline: after(60_000) }, 'wait call-back');
    const { change } = resultOf(still, { ...callBack, ...changed } as StepOutcome, NOW);
    expect(change).toMatchObject({ operation: changed });
    expect(change?.node).toBeUndefined();
  });

  it('stays in a state without a wait state', () => {
    const { change } = resultOf(made({ kind: 'delete' }, 'deleting'), callBack, NOW);
    expect(change).toMatchObject({ operation: { state: 'waiting' } });
    expect(change?.node).toBeUndefined();
  });

  it('fails at its deadline, not before', () => {
    expect(() => resultOf(made(), callBack, after(59_999))).not.toThrow();
    expect(() => resultOf(made(), callBack, after(60_000))).toThrow(
      expect.objectContaining({ code: 'timeout', message: 'nobody came' }),
    );
  });
});

describe('a step on hold', () => {
  const waitingFor = { kind: 'operator', text: 'an operator' } as const;

  it('has no deadline, and is not advanced until an event comes', () => {
    expect(resultOf(made(), { kind: 'hold', waitingFor }, NOW)).toEqual({
      change: {
        operation: { state: 'waiting', waitingFor, deadline: null, wakeAt: null },
        node: { provisionState: 'deploy hold', targetProvisionState: 'active', provisionUpdatedAt: NOW },
      },
      lookAgain: 'never',
    });
  });

  it('stays on hold when it is advanced', () => {
    expect(resultOf(made({}, 'deploy hold'), { kind: 'hold', waitingFor }, NOW)).toEqual({
      lookAgain: 'never',
    });
  });
});
