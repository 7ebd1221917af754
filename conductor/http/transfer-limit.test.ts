import fastify from 'fastify';
import { afterEach, expect, it } from 'vitest';
import { limitTransfers, type TransferLimits, transferLimits } from './transfer-limit.ts';

const LIMITS = { bootTransfers: 3, bootTransfersPerAddress: 2 };
const app = fastify();
let limits: TransferLimits = transferLimits(LIMITS);
limitTransfers(app, { take: (address) => limits.take(address) }, 60_000);
app.get('/file', { config: { transfer: true } }, async () => 'content');
app.get('/other', async () => 'content');
afterEach(() => {
  limits = transferLimits(LIMITS);
});
const status = async (url: string, method: 'GET' | 'HEAD' = 'GET') => {
  const { statusCode, headers } = await app.inject({ url, method });
  return [statusCode, headers['retry-after']];
};

it('counts per address and in all, and each place once', () => {
  const [first] = [limits.take('a'), limits.take('a')];
  expect(limits.take('a')).toBeUndefined();
  expect(limits.take('b')).toBeDefined();
  expect(limits.take('c')).toBeUndefined();
  first?.();
  first?.();
  expect(limits.take('c')).toBeDefined();
  expect(limits.take('d')).toBeUndefined();
});

it('answers 503 for a file when there is no place, and gives a place back at the end', async () => {
  for (let nth = 0; nth < 5; nth++) expect(await status('/file')).toEqual([200, undefined]);
  limits.take('127.0.0.1');
  limits.take('127.0.0.1');
  expect(await status('/file')).toEqual([503, '5']);
  expect(await status('/file', 'HEAD')).toEqual([200, undefined]);
  expect(await status('/other')).toEqual([200, undefined]);
});
