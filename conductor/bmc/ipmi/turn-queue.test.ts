import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { Deadline } from './deadline.ts';
import { type Turn, TurnQueue } from './turn-queue.ts';

let queue: TurnQueue;
beforeEach(() => {
  vi.useFakeTimers();
  queue = new TurnQueue();
});
afterEach(() => vi.useRealTimers());

const take = (limitMs = 1_000, signal?: AbortSignal) =>
  queue.take(new Deadline('test', { now: () => new Date(), limitMs, signals: [signal] }));
const end = (turn: Turn): void => {
  if (turn === 'too late') throw new Error('the turn did not come');
  turn();
};

it('gives turns one at a time, in the order of asking', async () => {
  expect(queue.isIdle).toBe(true);
  const log: string[] = [];
  const turns = ['a', 'b', 'c'].map(async (name) => {
    const turn = await take();
    log.push(name);
    return turn;
  });
  const first = await turns[0]!;
  await vi.advanceTimersByTimeAsync(1);
  expect([log, queue.isIdle]).toEqual([['a'], false]);
  end(first);
  end(await turns[1]!);
  expect(log).toEqual(['a', 'b']);
  end(await turns[2]!);
  expect([log, queue.isIdle]).toEqual([['a', 'b', 'c'], true]);
});

it('who waits too long leaves the queue', async () => {
  const first = await take();
  const [late, next] = [take(100), take()];
  await vi.advanceTimersByTimeAsync(100);
  expect(await late).toBe('too late');
  end(first);
  end(await next);
  expect([queue.isIdle, vi.getTimerCount()]).toEqual([true, 0]);
});

it('who is cancelled leaves the queue', async () => {
  const first = await take();
  const stop = new AbortController();
  const [cancelled, next] = [take(1_000, stop.signal), take()];
  const outcome = expect(cancelled).rejects.toMatchObject({ code: 'aborted' });
  stop.abort();
  await outcome;
  end(first);
  end(await next);
  expect([queue.isIdle, vi.getTimerCount()]).toEqual([true, 0]);
});

it('who was cancelled before gets no turn', async () => {
  await expect(take(1_000, AbortSignal.abort())).rejects.toMatchObject({ code: 'aborted' });
  expect(queue.isIdle).toBe(true);
});

it('a signal that fires after the turn has come changes nothing', async () => {
  const stop = new AbortController();
  const first = await take();
  const waiting = take(1_000, stop.signal);
  end(first);
  const turn = await waiting;
  stop.abort();
  await vi.advanceTimersByTimeAsync(2_000);
  expect(queue.isIdle).toBe(false);
  end(turn);
  expect(queue.isIdle).toBe(true);
});
