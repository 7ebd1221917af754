import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { fakeImages } from '../../test/fakes/engine-deps.ts';
import type { StepContext } from '../domain/drivers.ts';
import type { EnsureOptions, ReadyImage } from '../domain/images.ts';
import { createImageJobs } from './image-jobs.ts';

const MINUTE_MS = 60_000;
const request = { source: 'http://host/disk.raw' };
let image: PromiseWithResolvers<ReadyImage>;
let calls: EnsureOptions[];
let jobs: ReturnType<typeof createImageJobs>;

beforeEach(() => {
  vi.useFakeTimers();
  image = Promise.withResolvers();
  calls = [];
  jobs = createImageJobs({
    ...fakeImages,
    ensure(_, options) {
      calls.push(options);
      options.signal.addEventListener('abort', () => image.reject(options.signal.reason));
      return image.promise;
    },
  });
});
afterEach(() => {
  vi.useRealTimers();
});

function contextOf(id: number): StepContext {
  const memo: Record<string, unknown> = {};
  const context = {
    operation: { id },
    step: { memo },
    now: () => new Date(),
    progress: vi.fn(async () => undefined),
    remember: async (more: object) => void Object.assign(memo, more),
  };
  return context as unknown as StepContext;
}

describe('an image job', () => {
  it('is started once, reports its progress, and is done when the image is ready', async () => {
    const context = contextOf(1);
    await expect(jobs.follow(context, request)).resolves.toMatchObject({ kind: 'wait' });
    calls[0]!.onProgress?.({ phase: 'fetch', bytesDone: 5, bytesTotal: 10 });
    await expect(jobs.follow(context, request)).resolves.toMatchObject({ kind: 'wait' });
    expect(context.progress).toHaveBeenCalledWith(expect.objectContaining({ bytesDone: 5, bytesTotal: 10 }));
    image.resolve({} as ReadyImage);
    await vi.advanceTimersByTimeAsync(0);
    await expect(jobs.follow(context, request)).resolves.toEqual({ kind: 'done' });
    expect(calls).toHaveLength(1);
    expect(vi.getTimerCount()).toBe(0);
  });

  it('fails with the reason, and starts again at the next call', async () => {
    await jobs.follow(contextOf(1), request);
    image.reject(new Error('404'));
    await vi.advanceTimersByTimeAsync(0);
    await expect(jobs.follow(contextOf(1), request)).rejects.toThrow('404');
    image = Promise.withResolvers();
    await expect(jobs.follow(contextOf(1), request)).resolves.toMatchObject({ kind: 'wait' });
    expect(calls).toHaveLength(2);
  });

  it('continues for hours while its step is advanced', async () => {
    const context = contextOf(1);
    for (let look = 0; look < 60; look += 1) {
      await jobs.follow(context, request);
      await vi.advanceTimersByTimeAsync(4 * MINUTE_MS);
    }
    expect(calls.map(({ signal }) => signal.aborted)).toEqual([false]);
  });

  it('is cancelled when its step is not advanced any more, and starts again at the next call', async () => {
    await jobs.follow(contextOf(1), request);
    await vi.advanceTimersByTimeAsync(5 * MINUTE_MS);
    expect(calls[0]!.signal.reason).toMatchObject({ code: 'aborted' });
    image = Promise.withResolvers();
    await expect(jobs.follow(contextOf(1), request)).resolves.toMatchObject({ kind: 'wait' });
    expect(calls[1]!.signal.aborted).toBe(false);
  });
});

it('the first check is repeated soon, the others each second, and all end 4 h after the first', async () => {
  const context = contextOf(1);
  const began = Date.now();
  const deadline = new Date(began + 240 * MINUTE_MS);
  const overdue = 'the image was not ready within 4 h';
  const waitingFor = { kind: 'image', text: 'image to be prepared' };
  const wait = { kind: 'wait', waitingFor, deadline, overdue };
  expect(await jobs.follow(context, request)).toEqual({ ...wait, wakeAt: new Date(began + 100) });
  await vi.advanceTimersByTimeAsync(MINUTE_MS);
  expect(await jobs.follow(context, request)).toEqual({
    ...wait,
    wakeAt: new Date(began + MINUTE_MS + 1_000),
  });
  expect(context.progress).not.toHaveBeenCalled();
});

it('each operation has its own job, and all of its progress is reported before it is done', async () => {
  const [one, other] = [contextOf(1), contextOf(2)];
  await jobs.follow(one, request);
  await jobs.follow(other, request);
  expect(calls).toHaveLength(2);
  calls[1]!.onProgress?.({ phase: 'fetch', bytesDone: 5 });
  image.resolve({} as ReadyImage);
  await vi.advanceTimersByTimeAsync(0);
  const told = Promise.withResolvers<undefined>();
  vi.mocked(other.progress).mockReturnValue(told.promise);
  let ended = false;
  const followed = jobs.follow(other, request).then(() => {
    ended = true;
  });
  await vi.advanceTimersByTimeAsync(0);
  expect(ended).toBe(false);
  told.resolve(undefined);
  await followed;
  const progress = { phase: 'fetch', bytesDone: 5, bytesTotal: null, bytesPerSecond: null };
  expect(other.progress).toHaveBeenCalledExactlyOnceWith(progress);
  expect(one.progress).not.toHaveBeenCalled();
});
