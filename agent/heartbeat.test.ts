import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { HttpError } from './conductor-call.ts';
import { createHeartbeatLoop } from './heartbeat.ts';
import { createLog } from './log.ts';

beforeEach(() => vi.useFakeTimers());
afterEach(() => vi.useRealTimers());

const TIMEOUT_MS = 300_000;
const locked = new HttpError(409, 'HTTP 409: Node is locked');
const down = new Error('connect ECONNREFUSED');

/**
 * A heartbeat loop whose sends end as listed (null: success), the last one for ever. `beats` are seconds since its
 * start.
 */
function heart(ends: readonly (Error | null)[], random: number, timeoutMs = TIMEOUT_MS) {
  const stop = new AbortController();
  const log = createLog(() => undefined);
  const beats: number[] = [];
  const start = performance.now();
  const one = createHeartbeatLoop({
    timeoutMs,
    log,
    signal: stop.signal,
    random: () => random,
    send: async () => {
      beats.push(Math.round((performance.now() - start) / 100) / 10);
      const end = ends[Math.min(beats.length, ends.length) - 1];
      if (end != null) throw end;
    },
  });
  const running = one.run();
  const forget = async (): Promise<void> => {
    stop.abort();
    await running;
  };
  return { beats, log, beat: one.beat, forget, stop, running };
}

const LATEST = 0.999_999_9;

describe('heartbeat', () => {
  it.each([
    [0, [0, 90, 180]],
    [0.5, [0, 135, 270]],
    [LATEST, [0, 180, 360]],
  ])('beats at once, then after 0.3 to 0.6 of the timeout (random %d)', async (random, expected) => {
    const { beats, forget } = heart([null], random);
    await vi.advanceTimersByTimeAsync(expected[2]! * 1000 + 100);
    expect(beats).toEqual(expected);
    await forget();
  });

  it('follows sooner after a failure, then less and less often, and is normal again after a success', async () => {
    const { beats, forget } = heart([down, down, down, down, down, null, null], 0);
    await vi.advanceTimersByTimeAsync(190_000);
    expect(beats).toEqual([0, 5, 15, 35, 65, 95, 185]);
    await forget();
  });

  it('spreads its retries over twice the time', async () => {
    const { beats, forget } = heart([down], LATEST);
    await vi.advanceTimersByTimeAsync(131_000);
    expect(beats).toEqual([0, 10, 30, 70, 130]);
    await forget();
  });

  it('never waits longer after a failure than after a success', async () => {
    const { beats, forget } = heart([down], LATEST, 30_000);
    await vi.advanceTimersByTimeAsync(100_000);
    const pauses = beats.slice(1).map((at, index) => at - beats[index]!);
    expect(Math.max(...pauses)).toBeLessThanOrEqual(18.1);
    await forget();
  });

  it('tries a locked node again in 5 to 10 s, however often', async () => {
    const { beats, forget } = heart([locked], 0.5);
    await vi.advanceTimersByTimeAsync(31_000);
    expect(beats).toEqual([0, 7.5, 15, 22.5, 30]);
    await forget();
  });

  it('treats other error answers as failures', async () => {
    const { beats, forget } = heart([new HttpError(503, 'HTTP 503')], 0);
    await vi.advanceTimersByTimeAsync(36_000);
    expect(beats).toEqual([0, 5, 15, 35]);
    await forget();
  });

  it('forgets earlier failures when the node is locked', async () => {
    const { beats, forget } = heart([down, down, locked, down], 0);
    await vi.advanceTimersByTimeAsync(26_000);
    expect(beats).toEqual([0, 5, 15, 20, 25]);
    await forget();
  });

  it('sends soon when a command has ended, but not within 5 s of the last', async () => {
    const { beats, beat, forget } = heart([null], 0.5);
    await vi.advanceTimersByTimeAsync(1_000);
    beat();
    beat();
    await vi.advanceTimersByTimeAsync(20_000);
    expect(beats).toEqual([0, 5]);
    beat();
    await vi.advanceTimersByTimeAsync(100);
    expect(beats).toEqual([0, 5, 21]);
    await forget();
  });

  it('also sends for a command that ends while a heartbeat is being sent', async () => {
    const { beats, beat, forget } = heart([null], 0.5);
    beat();
    await vi.advanceTimersByTimeAsync(10_000);
    expect(beats).toEqual([0, 5]);
    await forget();
  });

  it('ends when the signal aborts, also while it sends', async () => {
    const stop = new AbortController();
    const sending = Promise.withResolvers<void>();
    const log = createLog(() => undefined);
    const one = createHeartbeatLoop({
      timeoutMs: TIMEOUT_MS,
      log,
      signal: stop.signal,
      send: () => sending.promise,
    });
    const running = one.run();
    stop.abort();
    sending.reject(new Error('aborted'));
    await running;
    expect(log.lines()).toEqual([]);
  });

  it('logs why it failed', async () => {
    const { log, forget } = heart([locked], 0);
    await vi.advanceTimersByTimeAsync(100);
    expect(log.lines()).toEqual([
      expect.stringMatching(/warning: heartbeat failed: HTTP 409: Node is locked$/),
    ]);
    await forget();
  });
});
