import { expect, it } from 'vitest';
import { retry } from './retry.ts';

it('waits twice as long each time, up to a maximum', async () => {
  const waitsMs: number[] = [];
  let tries = 0;
  const work = async (): Promise<string> => {
    tries += 1;
    if (tries < 6) throw new Error('not yet');
    return 'done';
  };
  const result = await retry(work, {
    firstMs: 1_000,
    mostMs: 4_000,
    signal: new AbortController().signal,
    random: () => 0.5,
    pause: async (ms) => {
      waitsMs.push(ms);
    },
  });
  expect(result).toBe('done');
  expect(waitsMs).toEqual([1_000, 2_000, 4_000, 4_000, 4_000]);
});

it('ends with the last error of the work when the signal aborts during a pause', async () => {
  const late = new AbortController();
  const work = () => Promise.reject(new Error('no node with this MAC'));
  const onFailure = () => late.abort();
  await expect(
    retry(work, { firstMs: 9_000, mostMs: 9_000, signal: late.signal, onFailure }),
  ).rejects.toThrow('no node with this MAC');
});

it('ends with the last error of the work when the signal aborts during the work', async () => {
  const late = new AbortController();
  let tries = 0;
  const work = async (): Promise<never> => {
    tries += 1;
    if (tries === 1) throw new Error('no node with this MAC');
    late.abort();
    throw new Error('aborted');
  };
  await expect(retry(work, { firstMs: 0, mostMs: 0, signal: late.signal })).rejects.toThrow(
    'no node with this MAC',
  );
  expect(tries).toBe(2);
});

it('does not try again after a final error', async () => {
  let tries = 0;
  const work = async (): Promise<never> => {
    tries += 1;
    throw new Error('forbidden');
  };
  const { signal } = new AbortController();
  await expect(retry(work, { firstMs: 1, mostMs: 1, signal, isFinal: () => true })).rejects.toThrow(
    'forbidden',
  );
  expect(tries).toBe(1);
});
