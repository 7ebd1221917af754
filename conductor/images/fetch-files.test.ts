/** Files of a fetch are closed before its result is used. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, expect, it, vi } from 'vitest';
import type { ImageRequest } from '../domain/images.ts';
import { fetchImage } from './fetch.ts';

const files = vi.hoisted(() => ({ opened: 0, closed: 0 }));
vi.mock(import('node:fs/promises'), async (original) => {
  const fs = await original();
  const open: typeof fs.open = async (...args) => {
    const handle = await fs.open(...args);
    const close = handle.close;
    files.opened += 1;
    handle.close = async () => {
      await close.call(handle);
      files.closed += 1;
    };
    return handle;
  };
  return { ...fs, open };
});

let dir: string;
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'ingot-fetch-files-'));
  await writeFile(join(dir, 'source'), 'image');
});
afterAll(() => rm(dir, { recursive: true }));

function fetching(more: Partial<ImageRequest> & { readonly maxBytes?: number } = {}) {
  const { maxBytes = 1_000, ...image } = more;
  Object.assign(files, { opened: 0, closed: 0 });
  return fetchImage(
    { source: `file://${dir}/source`, ...image },
    join(dir, 'target'),
    { allowed: [dir], maxBytes, stallMs: 1_000, limitMs: 60_000 },
    { signal: new AbortController().signal },
  );
}

afterEach(() => {
  expect(files.opened).toBeGreaterThan(0);
  expect(files.closed).toBe(files.opened);
});

it('source and target are closed when the image is there', async () => {
  expect(await fetching()).toMatchObject({ bytes: 5 });
});

it.each([
  ['has another digest', { digest: { algorithm: 'sha256', value: 'ab'.repeat(32) } as const }],
  ['is too large', { maxBytes: 1 }],
])('what was opened is closed when the image %s', async (_, more) => {
  await expect(fetching(more)).rejects.toMatchObject({ code: 'imageFailure' });
});
