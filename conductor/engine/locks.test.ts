import { describe, expect, it, vi } from 'vitest';
import { sampleNode } from '../../test/fakes/engine-samples.ts';
import { createNodeLocks } from './locks.ts';

const request = { purpose: 'test', deadlineMs: 60_000, queueMs: 1_000 };

type LockDeps = Parameters<typeof createNodeLocks>[0];

function locks(given: Partial<LockDeps['nodes'] & Pick<LockDeps, 'released'>> = {}) {
  const calls: string[] = [];
  const { released, ...own } = given;
  const nodes: LockDeps['nodes'] = {
    find: async () => sampleNode(),
    hold: async () => {
      calls.push('hold');
      return true;
    },
    release: async () => {
      calls.push('release');
    },
    ...own,
  };
  const watched = released === undefined ? {} : { released };
  return { calls, locks: createNodeLocks({ nodes, owner: 'host-1', now: () => new Date(), ...watched }) };
}

describe('node locks', () => {
  it('runs one at a time, in the order of the requests', async () => {
    const { locks: l } = locks();
    const log: number[] = [];
    let inside = 0;
    const job = (n: number) =>
      l.hold('n', request, async () => {
        expect(++inside).toBe(1);
        await new Promise((r) => setImmediate(r));
        log.push(n);
        inside--;
      });
    await Promise.all([job(1), job(2), job(3), job(4)]);
    expect(log).toEqual([1, 2, 3, 4]);
  });

  it('stores the lock before the work and removes it afterwards, also when the work throws', async () => {
    const { locks: l, calls } = locks();
    await expect(l.hold('n', request, () => Promise.reject(new Error('no')))).rejects.toThrow('no');
    expect(calls).toEqual(['hold', 'release']);
    await l.hold('n', request, async () => undefined);
  });

  it('fails with the purpose of the holder when the turn does not come in time', async () => {
    vi.useFakeTimers();
    const { locks: l } = locks();
    const long = l.hold(
      'n',
      { ...request, purpose: 'deploy' },
      () => new Promise((r) => setTimeout(r, 5_000)),
    );
    const waiting = l.hold('n', request, async () => undefined);
    const outcome = expect(waiting).rejects.toThrow(/locked by host host-1 \(deploy, for 1 s\)/);
    await vi.advanceTimersByTimeAsync(1_001);
    await outcome;
    await expect(l.hold('n', { ...request, queueMs: 0 }, async () => undefined)).rejects.toThrow(/locked/);
    await vi.advanceTimersByTimeAsync(5_000);
    await long;
    await l.hold('n', request, async () => undefined);
    vi.useRealTimers();
  });

  it('frees a node one second after the deadline of a holder that does not react', async () => {
    vi.useFakeTimers();
    const { locks: l } = locks();
    const deaf = l.hold('n', { ...request, deadlineMs: 2_000 }, () => new Promise(() => undefined));
    const outcome = expect(deaf).rejects.toThrow(/took longer than 2 s/);
    await vi.advanceTimersByTimeAsync(3_001);
    await outcome;
    vi.useRealTimers();
    await l.hold('n', { ...request, queueMs: 0 }, async () => undefined);
  });

  it('reports when another conductor has locked the node', async () => {
    const { locks: l } = locks({ hold: async () => false });
    await expect(l.hold('n', request, async () => undefined)).rejects.toThrow(/locked by another conductor/);
  });

  it('reports notFound when the node was deleted before the turn came', async () => {
    const { locks: l } = locks({ hold: async () => false, find: async () => undefined });
    await expect(l.hold('gone', request, async () => undefined)).rejects.toMatchObject({
      code: 'notFound',
      message: 'Node gone could not be found.',
    });
  });

  it('stays locked until the release is stored: only then the next work begins and watchers are notified', async () => {
    const log: string[] = [];
    const released = Promise.withResolvers<void>();
    const { locks: l } = locks({
      hold: async () => {
        log.push('hold');
        return true;
      },
      release: async () => {
        log.push('release begins');
        await released.promise;
        log.push('release stored');
      },
      released: () => log.push('told'),
    });
    const first = l.hold('n', request, async () => log.push('work'));
    const second = l.hold('n', request, async () => log.push('next work'));
    await new Promise((resolve) => setImmediate(resolve));
    expect(log).toEqual(['hold', 'work', 'release begins']);
    released.resolve();
    await Promise.all([first, second]);
    expect(log.slice(3)).toEqual([
      'release stored',
      'told',
      'hold',
      'next work',
      'release begins',
      'release stored',
      'told',
    ]);
  });

  it('is not released before its work has ended', async () => {
    const { locks: l, calls } = locks();
    const work = Promise.withResolvers<void>();
    const held = l.hold('n', request, () => work.promise);
    await new Promise((resolve) => setImmediate(resolve));
    expect(calls).toEqual(['hold']);
    work.resolve();
    await held;
    expect(calls).toEqual(['hold', 'release']);
  });

  it('the signal aborts at the deadline, and later writes are refused', async () => {
    vi.useFakeTimers();
    const { locks: l } = locks();
    let seen: AbortSignal | undefined;
    const late = l.hold('n', { ...request, deadlineMs: 2_000 }, (signal) => {
      seen = signal;
      return new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
    });
    const outcome = expect(late).rejects.toThrow('test took longer than 2 s');
    await vi.advanceTimersByTimeAsync(1_999);
    expect(seen?.aborted).toBe(false);
    await vi.advanceTimersByTimeAsync(1);
    await outcome;
    vi.useRealTimers();
    await l.hold('n', request, async (signal) => {
      seen = signal;
    });
    expect(seen?.reason).toMatchObject({ code: 'aborted' });
  });

  it('closing aborts the holders, waits for them and accepts no more work', async () => {
    const { locks: l, calls } = locks();
    const held = l.hold(
      'n',
      request,
      (signal) => new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason))),
    );
    const outcome = expect(held).rejects.toMatchObject({ code: 'interrupted' });
    await new Promise((resolve) => setImmediate(resolve));
    await l.close();
    expect(calls).toEqual(['hold', 'release']);
    await outcome;
    await expect(l.hold('n', request, async () => undefined)).rejects.toMatchObject({ code: 'unavailable' });
  });
});
