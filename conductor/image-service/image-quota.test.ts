import { expect, it } from 'vitest';
import type { Image } from '../domain/compute.ts';
import { createImageQuota } from './image-quota.ts';

const MEBI = 1024 * 1024;
const image = (owner: string, mebi: number | null) =>
  ({ owner, sizeBytes: mebi === null ? null : mebi * MEBI }) as Image;
const stored = [image('blue', 3), image('blue', null), image('red', 9)];
const quota = (limitMebi: number, images = stored) =>
  createImageQuota(limitMebi * MEBI, { all: async () => images });
const OVER =
  'Project blue is over a limit for [Resource image_size_total is over limit of 10 due to current usage';
const nothing = async (): Promise<void> => undefined;

it('counts what the project has stored', async () => {
  await expect(quota(10).within('blue', 7 * MEBI, nothing)).resolves.toBeUndefined();
  await expect(quota(10).within('blue', 7 * MEBI + 1, nothing)).rejects.toMatchObject({
    code: 'tooLarge',
    message: expect.stringContaining(`${OVER} 3 and delta 8]. To try:`),
  });
  await expect(quota(10).within('red', 2 * MEBI, nothing)).rejects.toThrow('current usage 9 and delta 2');
});

it('has no limit with 0, and for images without an owner', async () => {
  await quota(0).within('blue', 1e15, nothing);
  await quota(1).within(null, 1e15, nothing);
});

it('counts data of unknown length as it comes', async () => {
  const received: number[] = [];
  const receiving = quota(10).within('blue', null, async (count) => {
    for (const mebi of [2, 7, 8]) {
      count(mebi * MEBI);
      received.push(mebi);
    }
  });
  await expect(receiving).rejects.toThrow(`${OVER} 10 and delta 1]`);
  expect(received).toEqual([2, 7]);
});

it('is not begun when nothing is left', async () => {
  await expect(quota(3).within('blue', null, nothing)).rejects.toThrow('is over limit of 3');
});

it('counts transfers that run at the same time together, and those that have been stored', async () => {
  const limited = quota(10);
  const end = Promise.withResolvers<void>();
  const first = limited.within('blue', 4 * MEBI, () => end.promise);
  const second = limited.within('blue', null, async (count) => {
    count(3 * MEBI);
    await first;
    count(4 * MEBI);
  });
  await expect(limited.within('blue', 4 * MEBI, nothing)).rejects.toThrow(OVER);
  end.resolve();
  await expect(second).rejects.toThrow(`${OVER} 10 and delta 1]`);
});

it('gives back what a failed transfer has taken', async () => {
  const limited = quota(10);
  const end = Promise.withResolvers<void>();
  const open = limited.within('blue', 1, () => end.promise);
  await expect(limited.within('blue', 6 * MEBI, () => Promise.reject(new Error('cut')))).rejects.toThrow(
    'cut',
  );
  await limited.within('blue', 6 * MEBI, nothing);
  end.resolve();
  await open;
});
