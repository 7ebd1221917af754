/** A fetch waits for its files: each write and each close takes its time here. */
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, expect, it, vi } from 'vitest';
import { loopbackOutbound } from '../../test/fakes/outbound.ts';
import type { ImageRequest } from '../domain/images.ts';
import { fetchImage } from './fetch.ts';

const LATE_MS = 10;
/** More than one chunk of a file. */
const IMAGE = Buffer.from(Uint8Array.from({ length: 600_000 }, (_, at) => (at * 31) >> 3));

const files = vi.hoisted(() => ({ opened: 0, closed: 0 }));
vi.mock(import('node:fs/promises'), async (original) => {
  const fs = await original();
  const open: typeof fs.open = async (...args) => {
    const handle = await fs.open(...args);
    const { close, writeFile } = handle;
    files.opened += 1;
    handle.close = async () => {
      await close.call(handle);
      // The target is closed last, whichever is closed first.
      await setTimeout(args[1] === 'w' ? 3 * LATE_MS : LATE_MS);
      files.closed += 1;
    };
    handle.writeFile = async (...data) => {
      await setTimeout(LATE_MS);
      await writeFile.apply(handle, data);
    };
    return handle;
  };
  return { ...fs, open };
});

let dir: string;
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'ingot-fetch-files-'));
  await writeFile(join(dir, 'source'), IMAGE);
});
afterAll(() => rm(dir, { recursive: true }));

function fetching(more: Partial<ImageRequest> & { readonly maxBytes?: number } = {}) {
  const { maxBytes = 1_000_000, ...image } = more;
  Object.assign(files, { opened: 0, closed: 0 });
  return fetchImage(
    { source: `file://${dir}/source`, ...image },
    join(dir, 'target'),
    { outbound: loopbackOutbound, allowed: [dir], maxBytes, stallMs: 1_000, limitMs: 60_000 },
    { signal: new AbortController().signal },
  );
}

afterEach(() => {
  expect(files.opened).toBeGreaterThan(0);
  expect(files.closed).toBe(files.opened);
});

it('the image is there as it was, and source and target are closed', async () => {
  expect(await fetching()).toMatchObject({ bytes: IMAGE.length });
  expect((await readFile(join(dir, 'target'))).equals(IMAGE)).toBe(true);
});

it.each([
  ['has another digest', { digest: { algorithm: 'sha256', value: 'ab'.repeat(32) } as const }],
  ['is too large', { maxBytes: 1 }],
])('what was opened is closed when the image %s', async (_, more) => {
  await expect(fetching(more)).rejects.toMatchObject({ code: 'imageFailure' });
});
