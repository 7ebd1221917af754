import { expect, it } from 'vitest';
import { createConnectionTurns } from './connection-turns.ts';

const outside = () => false;
const nothing = () => undefined;

it('callers are served at once while no one holds the connection', async () => {
  const turns = createConnectionTurns(outside);
  const order: string[] = [];
  const both = [turns.inTurn(() => order.push('one')), turns.inTurn(() => order.push('two'))];
  expect(order).toEqual(['one', 'two']);
  expect(turns.isTaken()).toBe(false);
  expect(await Promise.all(both)).toEqual([1, 2]);
});

it('a transaction has it alone; the others come after its end, in the order of asking', async () => {
  const turns = createConnectionTurns(outside);
  const order: string[] = [];
  await turns.inTurn(() => turns.take());
  expect(turns.isTaken()).toBe(true);
  const waiting = ['one', 'two'].map((name) => turns.inTurn(() => order.push(name)));
  await Promise.resolve();
  expect(order).toEqual([]);
  turns.handOver(() => order.push(`first, taken: ${turns.isTaken()}`));
  await Promise.all(waiting);
  expect(order).toEqual(['first, taken: false', 'one', 'two']);
});

it('the next transaction in line stops the line until its own end', async () => {
  const turns = createConnectionTurns(outside);
  const order: string[] = [];
  turns.take();
  const second = turns.inTurn(() => {
    order.push('second transaction');
    turns.take();
  });
  const reader = turns.inTurn(() => order.push('reader'));
  turns.handOver(nothing);
  await second;
  expect([order, turns.isTaken()]).toEqual([['second transaction'], true]);
  turns.handOver(nothing);
  await reader;
  expect([order, turns.isTaken()]).toEqual([['second transaction', 'reader'], false]);
});

it('callers are served in the order in which they came', async () => {
  const turns = createConnectionTurns(outside);
  const order: string[] = [];
  let late: Promise<unknown> = Promise.resolve();
  turns.take();
  const early = ['early', 'last of the early'].map((name) => turns.inTurn(() => order.push(name)));
  turns.handOver(() => {
    late = turns.inTurn(() => order.push('late'));
  });
  await Promise.all([...early, late]);
  expect(order).toEqual(['early', 'last of the early', 'late']);
});

it('a failure is reported to the caller, at once or after a wait, and delays no other caller', async () => {
  const turns = createConnectionTurns(outside);
  const fail = () => {
    throw new Error('no such table');
  };
  await expect(turns.inTurn(fail)).rejects.toThrow('no such table');
  turns.take();
  const results = Promise.allSettled([turns.inTurn(fail), turns.inTurn(() => 'served')]);
  turns.handOver(nothing);
  expect(await results).toMatchObject([
    { status: 'rejected', reason: new Error('no such table') },
    { status: 'fulfilled', value: 'served' },
  ]);
});

it('the work of a transaction may not ask outside of it: it would wait for its own end', async () => {
  const turns = createConnectionTurns(() => true);
  await expect(turns.inTurn(nothing)).rejects.toThrow('the store was used inside its own transaction');
});
