import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { quietLogger } from '../../test/fakes/engine-deps.ts';
import { IngotError } from '../domain/errors.ts';
import { createNodeQueue } from './node-queue.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

function queueOf(look: (nodeUuid: string) => Promise<Date | undefined>) {
  const error = vi.fn();
  const logger = { ...quietLogger, error };
  return { error, queue: createNodeQueue({ look, now: () => new Date(), logger }) };
}
const settle = () => vi.advanceTimersByTimeAsync(0);

describe('the queue of nodes to advance', () => {
  it('advances a node once, and once more if it was woken in the meantime', async () => {
    const releases: (() => void)[] = [];
    const look = vi.fn(() => new Promise<undefined>((resolve) => releases.push(() => resolve(undefined))));
    const { queue } = queueOf(look);
    for (let i = 0; i < 5; i++) queue.wake('a');
    expect(look).toHaveBeenCalledTimes(1);
    releases.shift()!();
    await settle();
    expect(look).toHaveBeenCalledTimes(2);
    releases.shift()!();
    await settle();
    expect(look).toHaveBeenCalledTimes(2);
  });

  it('advances different nodes at the same time', () => {
    const look = vi.fn(() => new Promise<undefined>(() => undefined));
    const { queue } = queueOf(look);
    queue.wake('a');
    queue.wake('b');
    expect(look.mock.calls).toEqual([['a'], ['b']]);
  });

  it('advances again at the returned time, and forgets that time when the node needs nothing more', async () => {
    const answers: (Date | undefined)[] = [new Date(Date.now() + 5_000), undefined];
    const look = vi.fn(async () => answers.shift());
    const { queue } = queueOf(look);
    queue.wake('a');
    await vi.advanceTimersByTimeAsync(4_999);
    expect(look).toHaveBeenCalledTimes(1);
    await vi.advanceTimersByTimeAsync(1);
    expect(look).toHaveBeenCalledTimes(2);
    await vi.advanceTimersByTimeAsync(100_000);
    expect(look).toHaveBeenCalledTimes(2);
  });

  it('an earlier call replaces the later one', async () => {
    const answers = [new Date(Date.now() + 5_000), undefined];
    const look = vi.fn(async () => answers.shift());
    const { queue } = queueOf(look);
    queue.wake('a');
    await settle();
    queue.wake('a');
    await vi.advanceTimersByTimeAsync(60_000);
    expect(look).toHaveBeenCalledTimes(2);
  });

  it('tries again after an error, and logs it unless the node was only locked', async () => {
    const faults: Error[] = [new IngotError('nodeLocked', 'busy'), new Error('disk full')];
    const look = vi.fn(async () => {
      const fault = faults.shift();
      if (fault) throw fault;
      return undefined;
    });
    const { queue, error } = queueOf(look);
    queue.wake('a');
    await vi.advanceTimersByTimeAsync(9_999);
    expect([look.mock.calls.length, error.mock.calls.length]).toEqual([1, 0]);
    await vi.advanceTimersByTimeAsync(1);
    expect([look.mock.calls.length, error.mock.calls.length]).toEqual([2, 1]);
    await vi.advanceTimersByTimeAsync(10_000);
    expect(look).toHaveBeenCalledTimes(3);
  });

  it('checks a far deadline earlier, because timers have a maximum', async () => {
    const look = vi.fn(async () => new Date(Date.now() + 2 ** 32));
    const { queue } = queueOf(look);
    queue.wake('a');
    await vi.advanceTimersByTimeAsync(3_600_000);
    expect(look).toHaveBeenCalledTimes(2);
    await queue.stop();
  });

  it('stops when the running calls have ended, and starts no more', async () => {
    let release: () => void = () => undefined;
    const look = vi.fn(
      () =>
        new Promise<Date>((resolve) => {
          release = () => resolve(new Date(Date.now() + 10));
        }),
    );
    const { queue } = queueOf(look);
    queue.wake('a');
    let stopped = false;
    const stop = queue.stop().then(() => {
      stopped = true;
    });
    await settle();
    expect(stopped).toBe(false);
    release();
    await stop;
    queue.wake('b');
    await vi.advanceTimersByTimeAsync(100_000);
    expect(look).toHaveBeenCalledTimes(1);
  });
});
