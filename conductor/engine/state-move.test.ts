import { describe, expect, it } from 'vitest';
import { NOW, sampleNode } from '../../test/fakes/engine-samples.ts';
import { OPERATION_KINDS, OPERATIONS } from '../domain/operations/table.ts';
import { type ProvisionState, STATES, targetOf } from '../domain/states.ts';
import { eventsFrom, nextState } from '../domain/transitions.ts';
import { illegalMove, move, resumed } from './state-move.ts';

describe('move', () => {
  it('sets state, target and time for every move of the table', () => {
    for (const state of Object.keys(STATES) as ProvisionState[]) {
      for (const event of eventsFrom(state)) {
        const to = nextState(state, event)!;
        expect(move(sampleNode({ provisionState: state }), event, NOW), `${state} ${event}`).toEqual({
          provisionState: to,
          targetProvisionState: targetOf(to),
          provisionUpdatedAt: NOW,
        });
      }
    }
  });

  it('has the target of the verb, and keeps it during the operation', () => {
    let node = sampleNode({ provisionState: 'manageable' });
    const go = (...args: [event: Parameters<typeof move>[1], target?: ProvisionState]) => {
      node = { ...node, ...move(node, args[0], NOW, args[1]) };
      return `${node.provisionState} -> ${node.targetProvisionState}`;
    };
    expect(go('clean', 'manageable')).toBe('cleaning -> manageable');
    expect(go('wait')).toBe('clean wait -> manageable');
    expect(go('hold')).toBe('clean hold -> manageable');
    expect(go('unhold')).toBe('clean wait -> manageable');
    expect(go('fail')).toBe('clean failed -> manageable');
    expect(go('manage')).toBe('manageable -> null');
    expect(go('provide')).toBe('cleaning -> available');
  });

  it('has the target of the next operation when one follows another', () => {
    const node = sampleNode({ provisionState: 'rescue failed' });
    expect(move(node, 'unrescue', NOW).targetProvisionState).toBe('active');
    expect(move(node, 'delete', NOW).targetProvisionState).toBe('available');
  });

  it('refuses a move that the table does not have', () => {
    expect(() => move(sampleNode(), 'deploy', NOW)).toThrow(
      'The requested action "deploy" can not be performed on node "n1" while it is in state "manageable". Legal now: provide, inspect, clean, adopt.',
    );
  });
});

describe('resumed', () => {
  it('moves a node out of each wait state, and leaves others in their state', () => {
    for (const kind of OPERATION_KINDS) {
      const { busy, wait, hold } = OPERATIONS[kind].states;
      expect(resumed(sampleNode({ provisionState: busy }), NOW)).toBeUndefined();
      if (wait !== undefined)
        expect(resumed(sampleNode({ provisionState: wait }), NOW)?.provisionState).toBe(busy);
      if (hold !== undefined) expect(resumed(sampleNode({ provisionState: hold }), NOW)).toBeUndefined();
    }
  });
});

describe('illegalMove', () => {
  it('reports that a busy node accepts no verb', () => {
    expect(illegalMove(sampleNode({ provisionState: 'deleting' }), 'clean').message).toContain(
      'Nothing can be asked of it until the work in progress ends.',
    );
  });
});
