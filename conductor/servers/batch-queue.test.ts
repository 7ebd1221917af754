import { expect, it } from 'vitest';
import { createBatchQueue } from './batch-queue.ts';

const turn = () => new Promise<void>((resolve) => setImmediate(resolve));

it('processes waiting items together, in their order, one batch at a time', async () => {
  const batches: string[][] = [];
  const gates: (() => void)[] = [];
  const queue = createBatchQueue<{ name: string }>(async (batch) => {
    batches.push(batch.map(({ name }) => name));
    await new Promise<void>((open) => gates.push(open));
    for (const item of batch) item.done();
  });
  const first = queue.add({ name: 'a' });
  const later = [queue.add({ name: 'b' }), queue.add({ name: 'c' })];
  await turn();
  expect(batches).toEqual([['a']]);
  gates[0]!();
  await first;
  await turn();
  expect(batches).toEqual([['a'], ['b', 'c']]);
  gates[1]!();
  await Promise.all(later);
});

it('rejects the items of a failed batch, and processes the next batch', async () => {
  let isBroken = true;
  const queue = createBatchQueue<{ name: string }>(async (batch) => {
    if (isBroken) throw new Error('no hosts');
    for (const item of batch) item.done();
  });
  await expect(queue.add({ name: 'a' })).rejects.toThrow('no hosts');
  isBroken = false;
  await expect(queue.add({ name: 'b' })).resolves.toBeUndefined();
});
