import type { FileHandle } from 'node:fs/promises';
import { expect, it } from 'vitest';
import { targetOn } from './target.ts';

const nextTurn = () => new Promise((resolve) => setImmediate(resolve));
type Handle = Parameters<typeof targetOn>[0];

/**
 * A device that records its calls; each write, sync and close ends a turn of the event loop later. The test decides how `datasync`
 * ends.
 */
function deviceOf(datasync: () => Promise<void> = async () => undefined) {
  const done: string[] = [];
  const handle: Handle = {
    write: (async (data: Buffer, from: number, length: number, at: number) => {
      await nextTurn();
      done.push(`write ${data.subarray(from, from + length)} at ${at}`);
      return { bytesWritten: length, buffer: data };
    }) as FileHandle['write'],
    datasync: async () => {
      done.push('datasync');
      await datasync();
    },
    sync: async () => {
      await nextTurn();
      done.push('sync');
    },
    close: async () => {
      await nextTurn();
      done.push('close');
    },
  };
  return { handle, done };
}

const bytes = (text: string): Buffer => Buffer.from(text);

it('is flushed in portions while it is written, and completely at the end', async () => {
  const { handle, done } = deviceOf();
  const target = targetOn(handle, 4);
  await target.write(bytes('ab'), 0);
  expect(done).not.toContain('datasync');
  await target.write(bytes('cd'), 2);
  await target.write(bytes('ef'), 4);
  await target.write(bytes('g'), 6);
  await target.sync();
  await target.close();
  expect(done).toEqual([
    'write ab at 0',
    'write cd at 2',
    'datasync',
    'write ef at 4',
    'write g at 6',
    'sync',
    'close',
  ]);
});

it('waits for the flush of the portion before it flushes the next', async () => {
  const gates = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  let begun = 0;
  const { handle, done } = deviceOf(() => gates[begun++]!.promise);
  const target = targetOn(handle, 1);
  await target.write(bytes('a'), 0);
  let second = false;
  const writing = target.write(bytes('b'), 1).then(() => {
    second = true;
  });
  await new Promise((resolve) => setImmediate(resolve));
  expect([second, begun]).toEqual([false, 1]);
  gates[0]!.resolve();
  await writing;
  expect(begun).toBe(2);
  const closing = target.close();
  await new Promise((resolve) => setImmediate(resolve));
  expect(done).not.toContain('close');
  gates[1]!.resolve();
  await closing;
  expect(done.at(-1)).toBe('close');
});

it.each(['write', 'sync'] as const)('reports a failed flush at the next %s', async (next) => {
  const { handle, done } = deviceOf(async () => {
    throw new Error('the disk broke');
  });
  const target = targetOn(handle, 1);
  await target.write(bytes('a'), 0);
  const failing = next === 'write' ? target.write(bytes('b'), 1) : target.sync();
  await expect(failing).rejects.toThrow('the disk broke');
  expect(done).not.toContain('sync');
  await target.close();
  expect(done.at(-1)).toBe('close');
});
