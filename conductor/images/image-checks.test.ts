/** What is remembered of checks; run-image-task.test.ts has the checks themselves. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { createImageChecks } from './image-checks.ts';
import { RefusedImage } from './refused-image.ts';
import type { RunImageTask } from './run-image-task.ts';

const { signal } = new AbortController();
const file = { path: '/image', bytes: 1, declared: 'raw' };
let dir: string;
let asked: [string, number][];
let answer: () => unknown;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'ingot-checks-'));
  asked = [];
});
afterEach(() => rmSync(dir, { recursive: true }));

const checks = () =>
  createImageChecks({
    dir,
    run: (async ({ name }, { limitMs }) => {
      asked.push([name, limitMs]);
      return answer();
    }) as RunImageTask,
  });
const refuse = () => {
  throw new RefusedImage('it is damaged');
};

it('a check has 60 s, a conversion 4 h', async () => {
  answer = () => ({ format: 'raw', virtualSize: 1 });
  await checks().inspect('a', file, signal);
  await checks().unpack('a', '/image', '/raw', 1, signal);
  expect(asked).toEqual([
    ['inspect', 60_000],
    ['unpack', 4 * 3_600_000],
  ]);
});

it('a refused image is not tried again, by whichever way', async () => {
  answer = refuse;
  await expect(checks().unpack('a', '/image', '/raw', 1, signal)).rejects.toMatchObject({
    code: 'imageFailure',
    message: expect.stringContaining('the image was refused: it is damaged. Give another'),
  });
  await expect(checks().known('a')).rejects.toThrow('it is damaged');
  await expect(checks().inspect('a', file, signal)).rejects.toThrow('it is damaged');
  expect(await checks().examine('a', file, signal)).toEqual({ ok: false, reason: 'it is damaged' });
  expect(asked).toHaveLength(1);
  await expect(checks().known('b')).resolves.toBeUndefined();
});

it('data that is not what it was declared to be is refused and remembered', async () => {
  answer = () => ({ ok: false, reason: 'it is vmdk' });
  for (let i = 0; i < 2; i += 1)
    expect(await checks().examine('a', file, signal)).toEqual({ ok: false, reason: 'it is vmdk' });
  expect(asked).toHaveLength(1);
});

it('a failure for another reason is not remembered', async () => {
  answer = () => {
    throw new Error('disk full');
  };
  for (let i = 0; i < 2; i += 1)
    await expect(checks().examine('a', file, signal)).rejects.toThrow('disk full');
  expect(asked).toHaveLength(2);
});
