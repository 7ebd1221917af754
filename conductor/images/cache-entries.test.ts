import { existsSync, readdirSync, readlinkSync, statSync } from 'node:fs';
import { type FileHandle, mkdtemp, open, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join, relative } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { ReadyImage } from '../domain/images.ts';
import { openCacheEntries } from './cache-entries.ts';

const ID = 'ab'.repeat(32);
const digest = { algorithm: 'sha256', value: 'cd'.repeat(32) } as const;
const meta = (id = ID): ReadyImage => ({
  id,
  sizeBytes: 5,
  digest,
  compressed: { sizeBytes: 3, digest },
});

let dir: string;
let entries: ReturnType<typeof openCacheEntries>;
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'ingot-entries-'));
  entries = openCacheEntries(dir);
});
afterEach(async () => {
  vi.restoreAllMocks();
  await rm(dir, { recursive: true, force: true });
});

async function publish(id = ID): Promise<void> {
  const work = await entries.begin();
  await writeFile(join(work, 'raw'), '12345');
  await writeFile(join(work, 'zst'), '123');
  await entries.publish(work, meta(id));
}

describe('an entry', () => {
  it('is complete once it is published, and nothing else exists', async () => {
    await expect(entries.use(ID)).resolves.toBeUndefined();
    await publish();
    await expect(entries.use(ID)).resolves.toEqual(meta());
    expect(readdirSync(dir)).toEqual([ID]);
    expect(readdirSync(join(dir, ID)).sort()).toEqual(['meta.json', 'raw', 'zst']);
  });

  it('has its files flushed before it is renamed, and is renamed before publish resolves', async () => {
    const handle = await open(dir);
    const prototype = Object.getPrototypeOf(handle) as FileHandle;
    await handle.close();
    const synced: string[] = [];
    const sync = prototype.sync;
    vi.spyOn(prototype, 'sync').mockImplementation(function (this: FileHandle) {
      const path = readlinkSync(`/proc/self/fd/${this.fd}`);
      const inWork = relative(dir, path).startsWith('.work-');
      synced.push(`${inWork ? 'work ' : ''}${basename(path)}, named: ${existsSync(join(dir, ID))}`);
      return sync.call(this);
    });
    await publish();
    const work = synced.findIndex((line) => line.startsWith('work .work-'));
    expect(synced.slice(0, 3).sort()).toEqual([
      'work meta.json, named: false',
      'work raw, named: false',
      'work zst, named: false',
    ]);
    expect(work).toBe(3);
    expect(synced[3]).toMatch(/named: false$/);
    expect(synced.slice(4)).toEqual([`${basename(dir)}, named: true`]);
  });

  it('replaces a damaged one', async () => {
    await publish();
    await writeFile(join(dir, ID, 'raw'), 'cut');
    await expect(entries.use(ID)).resolves.toBeUndefined();
    await publish();
    await expect(entries.use(ID)).resolves.toEqual(meta());
  });

  it.each([
    ['raw', 'cut'],
    ['zst', 'longer than it was'],
    ['meta.json', ''],
    ['meta.json', 'null'],
    ['meta.json', '{}'],
    ['meta.json', JSON.stringify({ ...meta(), id: 'cd'.repeat(32) })],
    ['meta.json', JSON.stringify({ ...meta(), compressed: undefined })],
  ])('whose %s is %j does not count, and is swept', async (file, content) => {
    await publish();
    await writeFile(join(dir, ID, file), content);
    await expect(entries.use(ID)).resolves.toBeUndefined();
    await entries.sweep();
    expect(readdirSync(dir)).toEqual([]);
  });

  it.each(['..', '../x', '', 'AB'.repeat(32), `${ID}/`])('is not called %j', async (id) => {
    await expect(entries.use(id)).resolves.toBeUndefined();
  });

  it('may be discarded twice', async () => {
    await publish();
    await Promise.all([entries.discard(ID), entries.discard(ID)]);
    expect(readdirSync(dir)).toEqual([]);
  });

  it('has a size and a time of last use', async () => {
    await publish();
    await utimes(join(dir, ID, 'meta.json'), 1, 1);
    const bytes = ['raw', 'zst', 'meta.json']
      .map((file) => statSync(join(dir, ID, file)).blocks * 512)
      .reduce((sum, size) => sum + size);
    expect(await entries.list()).toEqual([{ id: ID, bytes, usedAtMs: 1000 }]);
    const before = Date.now();
    await entries.use(ID);
    expect((await entries.list())[0]!.usedAtMs).toBeGreaterThanOrEqual(before - 10);
  });
});
