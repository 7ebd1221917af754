import { expect, it } from 'vitest';
import { createTurns } from './turns.ts';

it('runs work of one key in order, also after a failure, and work of other keys in parallel', async () => {
  const inTurn = createTurns<string>();
  const gate = Promise.withResolvers<void>();
  const log: string[] = [];
  const write = (text: string) => async () => void log.push(text);
  const first = inTurn('a', async () => {
    await gate.promise;
    log.push('a1');
    throw new Error('a1 failed');
  });
  const second = inTurn('a', write('a2'));
  await inTurn('b', write('b1'));
  gate.resolve();
  await expect(first).rejects.toThrow('a1 failed');
  await second;
  await inTurn('a', write('a3'));
  expect(log).toEqual(['b1', 'a1', 'a2', 'a3']);
});
