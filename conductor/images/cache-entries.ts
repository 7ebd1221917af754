/**
 * The image cache on disk:
 *
 *   <dir>/<id>/meta.json  <dir>/<id>/raw  <dir>/<id>/zst
 *   <dir>/.work-*         incomplete entries, removed at start
 *
 * An entry is added and removed by one rename. Its files are flushed to the disk before it is added, so that after a
 * power failure it is complete or missing. An entry whose file sizes differ from meta.json counts as missing. The
 * modification time of meta.json is the time of the last use.
 */
import {
  type FileHandle,
  mkdir,
  mkdtemp,
  open,
  readdir,
  readFile,
  rename,
  rm,
  stat,
  utimes,
  writeFile,
} from 'node:fs/promises';
import { join } from 'node:path';
import type { ReadyImage } from '../domain/images.ts';

export const FORMS = ['raw', 'zst'] as const;
export type Form = (typeof FORMS)[number];

export interface EntryUse {
  readonly id: string;
  /** Disk space used; holes do not count. */
  readonly bytes: number;
  readonly usedAtMs: number;
}

export interface CacheEntries {
  /** undefined if there is no complete entry. Counts as a use. */
  use(id: string): Promise<ReadyImage | undefined>;
  path(id: string, form: Form): string;
  /** Creates a directory for the files of a new entry. */
  begin(): Promise<string>;
  /** Makes the directory `work`, which holds the files of all forms, the entry `meta.id`. */
  publish(work: string, meta: ReadyImage): Promise<void>;
  discard(id: string): Promise<void>;
  list(): Promise<EntryUse[]>;
  /** Removes incomplete and damaged entries of an earlier run. */
  sweep(): Promise<void>;
}

const ID = /^[0-9a-f]{64}$/;
const WORK = '.work-';

/** undefined if the file or directory does not exist. */
async function ifThere<T>(looked: Promise<T>): Promise<T | undefined> {
  try {
    return await looked;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

async function flush(path: string): Promise<void> {
  const handle: FileHandle = await open(path, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

function parseMeta(text: string, id: string): ReadyImage | undefined {
  try {
    const meta = JSON.parse(text) as ReadyImage;
    return meta?.id === id ? meta : undefined;
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

export function openCacheEntries(dir: string): CacheEntries {
  const at = (id: string, file: string): string => join(dir, id, file);
  const begin = async (): Promise<string> => {
    await mkdir(dir, { recursive: true, mode: 0o700 });
    return mkdtemp(join(dir, WORK));
  };
  const ids = async (): Promise<string[]> =>
    ((await ifThere(readdir(dir))) ?? []).filter((name) => ID.test(name));

  async function read(id: string): Promise<ReadyImage | undefined> {
    const text = ID.test(id) ? await ifThere(readFile(at(id, 'meta.json'), 'utf8')) : undefined;
    const meta = text === undefined ? undefined : parseMeta(text, id);
    if (meta === undefined) return undefined;
    const [raw, zst] = await Promise.all(FORMS.map((form) => ifThere(stat(at(id, form)))));
    return raw?.size === meta.sizeBytes && zst?.size === meta.compressed?.sizeBytes ? meta : undefined;
  }

  /** Renames the entry before it is removed, so that an interrupted removal leaves nothing that looks like an entry. */
  async function discard(id: string): Promise<void> {
    const removed = await begin();
    await ifThere(rename(join(dir, id), join(removed, id)));
    await rm(removed, { recursive: true, force: true });
  }

  async function measure(id: string): Promise<EntryUse | undefined> {
    const files = await Promise.all(['meta.json', ...FORMS].map((file) => ifThere(stat(at(id, file)))));
    const bytes = files.reduce((sum, file) => sum + (file?.blocks ?? 0) * 512, 0);
    return files[0] === undefined ? undefined : { id, bytes, usedAtMs: files[0].mtimeMs };
  }

  return {
    async use(id) {
      const meta = await read(id);
      const now = new Date();
      if (meta !== undefined) await ifThere(utimes(at(id, 'meta.json'), now, now));
      return meta;
    },
    path: at,
    begin,
    async publish(work, meta) {
      await writeFile(join(work, 'meta.json'), JSON.stringify(meta), { mode: 0o600 });
      for (const file of [...FORMS, 'meta.json', '.']) await flush(join(work, file));
      await discard(meta.id);
      await rename(work, join(dir, meta.id));
      await flush(dir);
    },
    discard,
    async list() {
      const found = await Promise.all((await ids()).map(measure));
      return found.filter((entry) => entry !== undefined);
    },
    async sweep() {
      await mkdir(dir, { recursive: true, mode: 0o700 });
      const work = (await readdir(dir)).filter((name) => name.startsWith(WORK));
      for (const name of work) await rm(join(dir, name), { recursive: true, force: true });
      for (const id of await ids()) if ((await read(id)) === undefined) await discard(id);
    },
  };
}
