import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { isProvisionState, kindOf, type ProvisionState, STATE_SETS, STATES, targetOf } from './states.ts';
import { eventsFrom, nextState, TRANSITIONS } from './transitions.ts';
import { statesFor, VERBS, verbsFrom } from './verbs.ts';

const states = Object.keys(STATES) as ProvisionState[];

/**
 * The expected state machine, that of Ironic, in fixtures/provision-states.txt (state | target | event -> next; ...).
 */
function golden(): Map<string, { target: string | null; moves: Map<string, string> }> {
  const text = readFileSync(new URL('fixtures/provision-states.txt', import.meta.url), 'utf8');
  const rows = text.split('\n').filter((line) => line.trim() !== '' && !line.startsWith('#'));
  return new Map(
    rows.map((row) => {
      const [state, target, moves] = row.split('|').map((cell) => cell.trim()) as [string, string, string];
      const pairs = moves
        .split(';')
        .map((move) => move.split('->').map((word) => word.trim()) as [string, string])
        .flatMap(([events, to]) => events.split('/').map((event) => [event, to] as [string, string]));
      return [state, { target: target === 'stable' ? null : target, moves: new Map(pairs) }];
    }),
  );
}

describe('provision states', () => {
  it('equals the expected states and moves', () => {
    const ours = new Map(
      states.map((state) => [
        state as string,
        {
          target: targetOf(state) as string | null,
          moves: new Map(
            eventsFrom(state).map((event) => [event as string, nextState(state, event) as string]),
          ),
        },
      ]),
    );
    expect(ours).toEqual(golden());
  });

  it('has no two moves for one state and event', () => {
    const keys = TRANSITIONS.map(([from, event]) => `${from} ${event}`);
    expect(new Set(keys).size).toBe(keys.length);
  });

  it('lets every busy and waiting state fail, and every state be left', () => {
    for (const state of states) {
      expect(eventsFrom(state).length, state).toBeGreaterThan(0);
      if (kindOf(state) === 'busy' || kindOf(state) === 'wait')
        expect(eventsFrom(state), state).toContain('fail');
    }
  });

  it('reaches every state from enroll, and a stable one from every state', () => {
    const reach = (start: ProvisionState): Set<ProvisionState> => {
      const seen = new Set<ProvisionState>([start]);
      for (const state of seen) for (const event of eventsFrom(state)) seen.add(nextState(state, event)!);
      return seen;
    };
    expect(reach('enroll').size).toBe(states.length);
    for (const state of states) {
      expect(
        [...reach(state)].some((other) => kindOf(other) === 'stable'),
        state,
      ).toBe(true);
    }
  });

  it('names only known states in its sets', () => {
    for (const set of Object.values(STATE_SETS)) expect(set.every(isProvisionState)).toBe(true);
  });
});

describe('verbs', () => {
  it('lists the verbs of an operator', () => {
    expect(verbsFrom('enroll')).toEqual(['manage']);
    expect(verbsFrom('deploy failed')).toEqual(['active', 'rebuild', 'deleted']);
    expect(verbsFrom('deleting')).toEqual([]);
  });

  it('starts each verb from the states of the API reference', () => {
    expect(statesFor('provide')).toEqual(['manageable']);
    expect(statesFor('active').sort()).toEqual(['available', 'deploy failed']);
    expect(statesFor('clean')).toEqual(['manageable']);
    expect(Object.keys(VERBS)).toHaveLength(15);
  });
});
