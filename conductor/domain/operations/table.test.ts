import { describe, expect, it } from 'vitest';
import { kindOf, type ProvisionState, STATES, targetOf } from '../states.ts';
import { nextState, TRANSITIONS } from '../transitions.ts';
import { OPERATION_KINDS, OPERATIONS, operationEntering, statesShowing } from './table.ts';

const states = Object.keys(STATES) as ProvisionState[];

describe.each(OPERATION_KINDS)('%s', (kind) => {
  const { states: of, starts, verbs, doneEvent = 'done' } = OPERATIONS[kind];

  it('has states of the kinds that their roles need', () => {
    expect(kindOf(of.busy)).toBe('busy');
    if (of.wait !== undefined) expect(kindOf(of.wait)).toBe('wait');
    if (of.hold !== undefined) expect(kindOf(of.hold)).toBe('hold');
    expect(['failed', 'stable']).toContain(kindOf(of.failed));
    expect(['stable', 'busy']).toContain(kindOf(of.done));
  });

  it('has the state of its success as target while it runs', () => {
    const goal = targetOf(of.done) ?? of.done;
    for (const state of [of.busy, of.wait, of.hold])
      if (state !== undefined) expect(targetOf(state), state).toBe(goal);
  });

  it('moves between its states by their roles', () => {
    expect(nextState(of.busy, doneEvent)).toBe(of.done);
    expect(nextState(of.busy, 'fail')).toBe(of.failed);
    expect(nextState(of.busy, 'wait')).toBe(of.wait);
    expect(nextState(of.busy, 'hold')).toBe(of.hold);
    if (of.wait !== undefined) {
      expect(nextState(of.wait, 'resume')).toBe(of.busy);
      expect(nextState(of.wait, 'fail')).toBe(of.failed);
      expect(nextState(of.wait, 'abort')).toBe(of.failed);
    }
    if (of.hold !== undefined) {
      expect(nextState(of.hold, 'unhold')).toBe(of.wait);
      expect(nextState(of.hold, 'abort')).toBe(of.failed);
    }
  });

  it('is started only by its own verbs', () => {
    const events = Object.values(verbs).map(({ event }) => event);
    expect([...new Set(events)].sort()).toEqual(Object.keys(starts).sort());
    for (const [from, event, to] of TRANSITIONS) {
      if (to === of.busy && kindOf(from) !== 'busy' && event !== 'resume') expect(events).toContain(event);
    }
  });

  it('accepts steps of the request only when the agent has an extension for it', () => {
    const named = Object.values(verbs).some(({ steps }) => steps === 'given' || steps === 'merged');
    expect(named).toBe(OPERATIONS[kind].agentExtension !== undefined);
  });
});

it('every state that is not stable belongs to one operation, and operationEntering finds it by its busy state', () => {
  for (const state of states.filter((one) => kindOf(one) !== 'stable')) {
    const owners = OPERATION_KINDS.filter((kind) => {
      const { busy, wait, hold, failed } = OPERATIONS[kind].states;
      return [busy, wait, hold, failed].includes(state);
    });
    expect(owners, state).toHaveLength(1);
    expect(operationEntering(state)).toBe(kindOf(state) === 'busy' ? owners[0] : undefined);
  }
});

it('the current step is shown in these states', () => {
  expect(statesShowing('clean')).toEqual(['cleaning', 'clean wait', 'clean hold', 'clean failed']);
  expect(statesShowing('deploy')).toEqual(['deploying', 'wait call-back', 'deploy hold', 'deploy failed']);
  expect(statesShowing('service')).toEqual(['servicing', 'service wait', 'service hold', 'service failed']);
});
