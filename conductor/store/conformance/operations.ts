/** Operations and their steps. */
import { describe, expect, it } from 'vitest';
import { expectError, later, NOW, newNode, type Subject, step } from './samples.ts';

export function operationConformance(store: Subject): void {
  const begin = async (nodeUuid: string, ...names: string[]) =>
    store().operations.create(
      { nodeUuid, kind: 'deploy', args: { a: 1 }, steps: names.map((n) => step(n)) },
      NOW,
    );

  describe('operations', () => {
    it('begin running at their first step', async () => {
      const { uuid } = await store().nodes.create(newNode(), NOW);
      const operation = await begin(uuid, 'a', 'b');
      const record = { state: 'pending', startedAt: null, finishedAt: null, progress: null, memo: {} };
      expect(operation).toEqual({
        id: operation.id,
        nodeUuid: uuid,
        kind: 'deploy',
        args: { a: 1 },
        state: 'running',
        cursor: 0,
        steps: [
          { ...step('a'), index: 0, ...record },
          { ...step('b'), index: 1, ...record },
        ],
        waitingFor: null,
        deadline: null,
        wakeAt: null,
        abortRequested: false,
        error: null,
        startedAt: NOW,
        finishedAt: null,
      });
      expect(await store().operations.find(operation.id)).toEqual(operation);
      expect(await store().operations.current(uuid)).toEqual(operation);
    });

    it('are one at a time for a node', async () => {
      const { uuid } = await store().nodes.create(newNode(), NOW);
      const first = await begin(uuid);
      await expectError(begin(uuid), 'conflict', 'already has an operation at work');
      await store().operations.update(first.id, { state: 'waiting' });
      await expectError(begin(uuid), 'conflict', 'already has an operation at work');
      await store().operations.update(first.id, { state: 'failed', finishedAt: NOW });
      const second = await begin(uuid);
      expect((await store().operations.current(uuid))?.id).toBe(second.id);
      await expectError(begin('gone'), 'notFound', 'Node gone could not be found.');
    });

    it('change as told and nowhere else', async () => {
      const { uuid } = await store().nodes.create(newNode(), NOW);
      const operation = await begin(uuid, 'a');
      const patch = {
        state: 'waiting',
        cursor: 1,
        waitingFor: { kind: 'agent', text: 'agent to call back' },
        deadline: later(10),
        wakeAt: later(5),
        abortRequested: true,
        error: 'e',
        finishedAt: null,
      } as const;
      const changed = await store().operations.update(operation.id, patch);
      expect(changed).toEqual({ ...operation, ...patch });
      const cleared = { waitingFor: null, deadline: null, wakeAt: null };
      expect(await store().operations.update(operation.id, cleared)).toEqual({ ...changed, ...cleared });
      expect(await store().operations.update(operation.id, {})).toEqual({ ...changed, ...cleared });
      await expectError(store().operations.update(999, {}), 'notFound', 'Operation 999');
    });

    it('keep what a step did, and only in that step', async () => {
      const { uuid } = await store().nodes.create(newNode(), NOW);
      const { id, steps } = await begin(uuid, 'a', 'b');
      const progress = { phase: 'write', bytesDone: 5, bytesTotal: null, bytesPerSecond: 1 };
      await store().operations.updateStep(id, 1, { state: 'running', startedAt: NOW, progress });
      await store().operations.updateStep(id, 1, { memo: { commandId: 'x' } });
      await store().operations.updateStep(id, 1, { state: 'done', finishedAt: later(1), progress: null });
      const done = { state: 'done', startedAt: NOW, finishedAt: later(1), memo: { commandId: 'x' } };
      expect((await store().operations.find(id))?.steps).toEqual([steps[0], { ...steps[1], ...done }]);
      await expectError(store().operations.updateStep(id, 2, {}), 'notFound', 'has no step 2');
    });

    it('lose no change when steps are written at the same time', async () => {
      const { uuid } = await store().nodes.create(newNode(), NOW);
      const { id } = await begin(uuid, ...'abcdefgh');
      await Promise.all(
        [...'abcdefgh'].map((_, index) => store().operations.updateStep(id, index, { state: 'done' })),
      );
      const states = (await store().operations.find(id))?.steps.map((record) => record.state);
      expect(states).toEqual(Array.from({ length: 8 }, () => 'done'));
    });

    it('take new steps from an index on', async () => {
      const { uuid } = await store().nodes.create(newNode(), NOW);
      const { id } = await begin(uuid, 'a', 'b', 'c');
      await store().operations.updateStep(id, 0, { state: 'done', memo: { kept: true } });
      const { steps } = await store().operations.replaceSteps(id, 1, [step('x'), step('y'), step('z')]);
      expect(steps.map(({ index, step: name, state }) => [index, name, state])).toEqual([
        [0, 'a', 'done'],
        [1, 'x', 'pending'],
        [2, 'y', 'pending'],
        [3, 'z', 'pending'],
      ]);
      expect(steps[0]?.memo).toEqual({ kept: true });
      expect((await store().operations.replaceSteps(id, 1, [])).steps).toHaveLength(1);
    });

    it('are listed newest first, and the unfinished ones for recovery', async () => {
      const a = await store().nodes.create(newNode(), NOW);
      const b = await store().nodes.create(newNode(), NOW);
      const ids: number[] = [];
      for (const state of ['done', 'failed', 'aborted'] as const) {
        const { id } = await begin(a.uuid);
        await store().operations.update(id, { state, finishedAt: NOW });
        ids.unshift(id);
      }
      const running = await begin(a.uuid);
      const waiting = await begin(b.uuid);
      await store().operations.update(waiting.id, { state: 'waiting' });
      const listed = async (limit: number) =>
        (await store().operations.list(a.uuid, limit)).map((operation) => operation.id);
      expect(await listed(10)).toEqual([running.id, ...ids]);
      expect(await listed(2)).toEqual([running.id, ids[0]]);
      const unfinished = await store().operations.unfinished();
      expect(unfinished.map((operation) => operation.id)).toEqual([running.id, waiting.id]);
    });

    it('do not grow without end, and never lose the one at work', async () => {
      const { uuid } = await store().nodes.create(newNode(), NOW);
      await store().transaction(async (tx) => {
        for (let count = 0; count < 130; count += 1) {
          const { id } = await tx.operations.create(
            { nodeUuid: uuid, kind: 'clean', args: {}, steps: [] },
            NOW,
          );
          await tx.operations.update(id, { state: 'done' });
        }
      });
      const current = await begin(uuid);
      const all = await store().operations.list(uuid, 1_000);
      expect(all.length).toBeLessThanOrEqual(130);
      expect(all.length).toBeGreaterThanOrEqual(50);
      expect(all[0]?.id).toBe(current.id);
    });
  });
}
