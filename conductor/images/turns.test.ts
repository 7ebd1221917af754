import { expect, it } from 'vitest';
import { createTurns } from './turns.ts';

const never = new AbortController().signal;

it('so much work runs at a time, in the order of its coming', async () => {
  const turns = createTurns(2);
  const begun: number[] = [];
  const ends = [0, 1, 2, 3].map(() => Promise.withResolvers<void>());
  const all = ends.map(({ promise }, i) =>
    turns.take(never, async () => {
      begun.push(i);
      await promise;
    }),
  );
  await expect.poll(() => begun).toEqual([0, 1]);
  ends[1]!.resolve();
  await expect.poll(() => begun).toEqual([0, 1, 2]);
  for (const { resolve } of ends) resolve();
  await Promise.all(all);
  expect(begun).toEqual([0, 1, 2, 3]);
});

it('work that fails, or that nobody waits for, leaves its place to the next', async () => {
  const turns = createTurns(1);
  const first = Promise.withResolvers<void>();
  const failing = turns.take(never, () => first.promise);
  const left = new AbortController();
  const gone = turns.take(left.signal, async () => 'not run');
  const last = turns.take(never, async () => 'run');
  left.abort(new Error('left'));
  await expect(gone).rejects.toThrow('left');
  first.reject(new Error('failed'));
  await expect(failing).rejects.toThrow('failed');
  expect(await last).toBe('run');
  await expect(turns.take(left.signal, async () => 'not run')).rejects.toThrow('left');
});
