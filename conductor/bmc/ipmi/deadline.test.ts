import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { Deadline } from './deadline.ts';

beforeEach(() => vi.useFakeTimers({ now: 0 }));
afterEach(() => vi.useRealTimers());

const deadlineOf = (limitMs: number, deadline?: Date, signals: (AbortSignal | undefined)[] = []) =>
  new Deadline('BMC x: Get Device ID', { now: () => new Date(), limitMs, deadline, signals });

it.each([
  [1_000, undefined, 1_000],
  [1_000, new Date(400), 400],
  [1_000, new Date(4_000), 1_000],
  [1_000, new Date(-5), 0],
])('of a limit of %i ms and the deadline %o the earlier counts: %i ms', (limitMs, deadline, totalMs) => {
  const own = deadlineOf(limitMs, deadline);
  expect([own.totalMs, own.remainingMs, own.hasPassed]).toEqual([totalMs, totalMs, totalMs === 0]);
});

it('passes with the time', () => {
  const own = deadlineOf(1_000);
  vi.setSystemTime(999);
  expect([own.remainingMs, own.hasPassed]).toEqual([1, false]);
  vi.setSystemTime(2_000);
  expect([own.remainingMs, own.hasPassed, own.totalMs]).toEqual([0, true, 1_000]);
});

it('is cancelled by any of its signals, with the reason of that', () => {
  const [one, two] = [new AbortController(), new AbortController()];
  const own = deadlineOf(1_000, undefined, [one.signal, undefined, two.signal]);
  const heard = vi.fn();
  own.onAbort(heard);
  const forget = own.onAbort(() => heard('forgotten'));
  forget();
  expect(() => own.check()).not.toThrow();
  two.abort(new Error('the caller left'));
  expect(heard.mock.calls).toEqual([[expect.anything()]]);
  const text = 'BMC x: Get Device ID was cancelled: the caller left';
  expect(() => own.check()).toThrow(expect.objectContaining({ code: 'aborted', message: text }));
});

it('is cancelled without a reason too', () => {
  const own = deadlineOf(1_000, undefined, [AbortSignal.abort('x')]);
  expect(own.aborted().message).toBe('BMC x: Get Device ID was cancelled');
});

it.each([
  [300, 300],
  [3_000, 1_000],
])('a pause of %i ms of 1000 lasts %i', async (ms, lasts) => {
  const over = vi.fn();
  const pause = deadlineOf(1_000).pause(ms).then(over);
  await vi.advanceTimersByTimeAsync(lasts - 1);
  expect(over).not.toHaveBeenCalled();
  await vi.advanceTimersByTimeAsync(1);
  expect(over).toHaveBeenCalledTimes(1);
  await pause;
});

it('a pause ends when it is cancelled, and leaves no timer', async () => {
  const stop = new AbortController();
  const own = deadlineOf(1_000, undefined, [stop.signal]);
  const outcome = expect(own.pause(500)).rejects.toMatchObject({ code: 'aborted' });
  stop.abort();
  await outcome;
  expect(vi.getTimerCount()).toBe(0);
  await expect(own.pause(500)).rejects.toMatchObject({ code: 'aborted' });
});
