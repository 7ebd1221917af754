import { afterEach, beforeEach, expect, it } from 'vitest';
import { after, NOW } from '../../test/fakes/engine-samples.ts';
import { startTestEngineParts, type TestEngineParts } from '../../test/fakes/test-engine-parts.ts';
import { createNodeHold, type NodeHold } from './node-hold.ts';

let test: TestEngineParts;
let hold: NodeHold;
beforeEach(async () => {
  test = await startTestEngineParts({ settings: { lockQueueMs: 5_000 } });
  hold = createNodeHold(test.parts);
  await test.add();
});
afterEach(() => test[Symbol.asyncDispose]());

const nextTurn = () => new Promise((resolve) => setImmediate(resolve));

it('locks the node for at most a minute until the work is done, and returns its result', async () => {
  const answer = await hold('n1', 'changing a port', async ({ uuid }) => {
    await nextTurn();
    return [uuid, (await test.find('n1')).holder];
  });
  const holder = {
    owner: 'test-conductor',
    purpose: 'changing a port',
    since: NOW,
    deadline: after(60_000),
  };
  expect(answer).toEqual(['n1', holder]);
  expect((await test.find('n1')).holder).toBeNull();
});

it('the node is free again after work that fails', async () => {
  await expect(hold('n1', 'work', () => Promise.reject(new Error('broken')))).rejects.toThrow('broken');
  expect((await test.find('n1')).holder).toBeNull();
});

it('the second work waits, and gets the node as the first has left it', async () => {
  const began = Promise.withResolvers<void>();
  const first = hold('n1', 'first', async () => {
    began.resolve();
    await nextTurn();
    await test.store.nodes.update('n1', { extra: { by: 'first' } }, NOW);
  });
  await began.promise;
  const second = hold('n1', 'second', async ({ extra, holder }) => [extra, holder?.purpose]);
  expect(await second).toEqual([{ by: 'first' }, 'second']);
  await first;
});

it('fails after the time that requests wait for a lock', async () => {
  const impatient = createNodeHold({ ...test.parts, settings: { ...test.parts.settings, lockQueueMs: 0 } });
  const [began, end] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const first = hold('n1', 'first', async () => {
    began.resolve();
    await end.promise;
  });
  await began.promise;
  await expect(impatient('n1', 'second', async () => 'done')).rejects.toMatchObject({
    code: 'nodeLocked',
    message: expect.stringContaining('first'),
  });
  end.resolve();
  await first;
  expect(await impatient('n1', 'second', async () => 'done')).toBe('done');
});

it('a node that is deleted while work waits for it is not found', async () => {
  const began = Promise.withResolvers<void>();
  const deletion = hold('n1', 'node deletion', async () => {
    began.resolve();
    await nextTurn();
    await test.store.nodes.delete('n1');
  });
  await began.promise;
  const waiting = hold('n1', 'changing a port', async () => 'done');
  await expect(waiting).rejects.toMatchObject({ code: 'notFound', message: 'Node n1 could not be found.' });
  await deletion;
});
