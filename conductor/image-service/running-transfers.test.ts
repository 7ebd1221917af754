import { expect, it } from 'vitest';
import { createRunningTransfers } from './running-transfers.ts';

const UUID = '6b3f7e7a-3a0c-4d6c-9d0e-5a1f0c2b7e11';

it('runs one transfer per image at a time', () => {
  const transfers = createRunningTransfers();
  const first = transfers.begin(UUID);
  expect(() => transfers.begin(UUID)).toThrow('already receives its data');
  transfers.finish(UUID, first);
  expect(transfers.isCurrent(UUID, transfers.begin(UUID))).toBe(true);
});

it('a cancelled transfer that ends later leaves the next one in place', () => {
  const transfers = createRunningTransfers();
  const first = transfers.begin(UUID);
  transfers.cancel(UUID);
  expect(first.controller.signal.reason).toMatchObject({ code: 'notFound' });
  expect(transfers.isCurrent(UUID, first)).toBe(false);
  const second = transfers.begin(UUID);
  transfers.finish(UUID, first);
  expect(transfers.isCurrent(UUID, second)).toBe(true);
});

it('stops when the running transfers have ended, and begins none after', async () => {
  const transfers = createRunningTransfers();
  const transfer = transfers.begin(UUID);
  let stopped = false;
  const stop = transfers.stop().then(() => {
    stopped = true;
  });
  expect(transfer.controller.signal.reason).toMatchObject({ code: 'unavailable' });
  expect(transfers.isStopping()).toBe(true);
  expect(() => transfers.begin(UUID)).toThrow('shutting down');
  await new Promise(setImmediate);
  expect(stopped).toBe(false);
  transfers.finish(UUID, transfer);
  await stop;
});
