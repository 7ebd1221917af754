import { describe, expect, it, vi } from 'vitest';
import { createNodeLocks } from './locks.ts';

const request = { purpose: 'test', deadlineMs: 60_000, queueMs: 1_000 };

function locks(hold = true) {
  const calls: string[] = [];
  const nodes = {
    hold: async () => {
      calls.push('hold');
      return hold;
    },
    release: async () => {
      calls.push('release');
    },
  };
  return { calls, locks: createNodeLocks({ nodes, owner: 'host-1', now: () => new Date() }) };
}

describe('node locks', () => {
  it('runs one at a time, in the order of asking', async () => {
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

  it('stores the hold before the work and drops it after, also when the work throws', async () => {
    const { locks: l, calls } = locks();
    await expect(l.hold('n', request, () => Promise.reject(new Error('no')))).rejects.toThrow('no');
    expect(calls).toEqual(['hold', 'release']);
    await l.hold('n', request, async () => undefined);
  });

  it('gives up with the purpose of the holder when the turn does not come', async () => {
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

  it('frees a node one second after the deadline of a deaf holder', async () => {
    vi.useFakeTimers();
    const { locks: l } = locks();
    const deaf = l.hold('n', { ...request, deadlineMs: 2_000 }, () => new Promise(() => undefined));
    const outcome = expect(deaf).rejects.toThrow(/took longer than 2 s/);
    await vi.advanceTimersByTimeAsync(3_001);
    await outcome;
    vi.useRealTimers();
    await l.hold('n', { ...request, queueMs: 0 }, async () => undefined);
  });

  it('says so when another conductor holds the node', async () => {
    const { locks: l } = locks(false);
    await expect(l.hold('n', request, async () => undefined)).rejects.toThrow(/locked by another conductor/);
  });
});
