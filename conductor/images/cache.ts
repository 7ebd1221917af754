/**
 * The image cache: every image once, as raw bytes and as one zstd stream, under the digest of its source.
 *
 *   <dir>/<id>/meta.json  written last: without it the entry does not exist
 *   <dir>/<id>/raw        <dir>/<id>/zst
 *   <dir>/.work-*         half-made entries, swept at start
 *
 * Callers for the same image share one job; it is cancelled when the last of them is gone.
 */
import { createHash } from 'node:crypto';
import { mkdir, mkdtemp, readdir, readFile, rename, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { IngotError } from '../domain/errors.ts';
import type { ImageCache, ImageProgress, ImageRequest, ReadyImage } from '../domain/images.ts';
import { compress, convertToRaw, sha256 } from './convert.ts';
import { fetchImage } from './fetch.ts';
import { checkFileUrl, openFileSource } from './file-source.ts';
import { inspectImage } from './inspect.ts';

export interface ImageCacheSettings {
  readonly dir: string;
  /** `file://` sources may lie here. */
  readonly fileAllow: readonly string[];
  readonly maxBytes: number;
}

interface Job {
  readonly controller: AbortController;
  readonly done: Promise<ReadyImage>;
  waiters: number;
  readonly listeners: Set<(progress: ImageProgress) => void>;
}

export interface ImageCacheService extends ImageCache {
  /** Path of a prepared file, for serving; undefined when there is none. */
  path(id: string, form: 'raw' | 'zst'): Promise<string | undefined>;
  /** Removes what an earlier run left half made. */
  sweep(): Promise<void>;
  stop(): Promise<void>;
}

/** Entries used within this time are never evicted: an agent may be fetching them. */
const IN_USE_MS = 6 * 3_600_000;

export function createImageCache(settings: ImageCacheSettings): ImageCacheService {
  const jobs = new Map<string, Job>();
  /** Also those that are cancelled and still cleaning up. */
  const running = new Set<Job>();

  async function ready(id: string): Promise<ReadyImage | undefined> {
    try {
      const meta = JSON.parse(await readFile(join(settings.dir, id, 'meta.json'), 'utf8')) as ReadyImage;
      const now = new Date();
      await utimes(join(settings.dir, id, 'meta.json'), now, now);
      return meta;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
      throw error;
    }
  }

  async function prepare(
    image: ImageRequest,
    id: string,
    job: Pick<Job, 'controller' | 'listeners'>,
  ): Promise<ReadyImage> {
    const known = await ready(id);
    if (known) return known;
    const { signal } = job.controller;
    const report = (progress: ImageProgress): void => {
      for (const listener of job.listeners) listener(progress);
    };
    await mkdir(settings.dir, { recursive: true, mode: 0o700 });
    const work = await mkdtemp(join(settings.dir, '.work-'));
    try {
      const [source, raw, zst] = ['source', 'raw', 'zst'].map((name) => join(work, name)) as [
        string,
        string,
        string,
      ];
      const limits = { allowed: settings.fileAllow, maxBytes: settings.maxBytes };
      const fetched = await fetchImage(image, source, limits, { signal, onProgress: report });
      report({ phase: 'inspect', bytesDone: fetched.bytes, bytesTotal: fetched.bytes });
      const inspected = await inspectImage(source, fetched.bytes, image.diskFormat);
      if (inspected.virtualSize > settings.maxBytes) {
        throw new IngotError(
          'imageFailure',
          `the image holds a disk of ${inspected.virtualSize} bytes, more than the image cache of ${settings.maxBytes} bytes (images.cache_gib)`,
        );
      }
      report({ phase: 'convert', bytesDone: 0, bytesTotal: inspected.virtualSize });
      if (inspected.format === 'raw') await rename(source, raw);
      else await convertToRaw(source, raw, signal);
      await rm(source, { force: true });
      report({ phase: 'compress', bytesDone: 0, bytesTotal: inspected.virtualSize });
      const [rawDigest] = await Promise.all([sha256(raw, signal), compress(raw, zst, signal)]);
      const [rawStat, zstStat] = await Promise.all([stat(raw), stat(zst)]);
      const meta: ReadyImage = {
        id,
        sizeBytes: rawStat.size,
        path: `/images/${id}/raw`,
        digest: { algorithm: 'sha256', value: rawDigest },
        compressed: {
          path: `/images/${id}/zst`,
          sizeBytes: zstStat.size,
          digest: { algorithm: 'sha256', value: await sha256(zst, signal) },
        },
      };
      await writeFile(join(work, 'meta.json'), JSON.stringify(meta));
      await rm(join(settings.dir, id), { recursive: true, force: true });
      await rename(work, join(settings.dir, id));
      await evict(id);
      return meta;
    } finally {
      await rm(work, { recursive: true, force: true });
    }
  }

  /** Least recently used first, until the cache fits; never what may be in use. */
  async function evict(keep: string): Promise<void> {
    const names = (await readdir(settings.dir)).filter((name) => /^[0-9a-f]{64}$/.test(name));
    const entries = await Promise.all(
      names.map(async (name) => {
        const files = await Promise.all(
          ['raw', 'zst', 'meta.json'].map((file) => stat(join(settings.dir, name, file))),
        );
        return {
          name,
          bytes: files.reduce((sum, { blocks }) => sum + blocks * 512, 0),
          usedAt: files[2]!.mtimeMs,
        };
      }),
    );
    let total = entries.reduce((sum, { bytes }) => sum + bytes, 0);
    for (const { name, bytes, usedAt } of entries.sort((a, b) => a.usedAt - b.usedAt)) {
      if (total <= settings.maxBytes) return;
      if (name === keep || Date.now() - usedAt < IN_USE_MS) continue;
      await rm(join(settings.dir, name), { recursive: true, force: true });
      total -= bytes;
    }
  }

  function jobFor(image: ImageRequest, id: string): Job {
    const known = jobs.get(id);
    if (known) return known;
    const controller = new AbortController();
    const listeners: Job['listeners'] = new Set();
    const done = prepare(image, id, { controller, listeners }).finally(() => {
      running.delete(job);
      if (jobs.get(id) === job) jobs.delete(id);
    });
    const job: Job = { controller, done, waiters: 0, listeners };
    running.add(job);
    jobs.set(id, job);
    return job;
  }

  return {
    validate(image) {
      const url = URL.parse(image.source);
      const scheme = url?.protocol;
      if (scheme !== 'http:' && scheme !== 'https:' && scheme !== 'file:') {
        throw new IngotError(
          'invalidParameter',
          `instance_info.image_source must be an http, https or file URL, not ${url === null ? 'a text that is none' : `a ${scheme} one`}: give the whole URL of the image`,
        );
      }
      if (scheme === 'file:') checkFileUrl(image.source, settings.fileAllow);
      else if (image.digest === undefined) {
        throw new IngotError(
          'missingParameter',
          'instance_info.image_checksum, or image_os_hash_algo and image_os_hash_value, must be given for an http(s) image',
        );
      }
      if (image.diskFormat !== undefined && image.diskFormat !== 'raw' && image.diskFormat !== 'qcow2') {
        throw new IngotError(
          'invalidParameter',
          `instance_info.image_disk_format must be raw or qcow2, not ${image.diskFormat}`,
        );
      }
    },

    async ensure(image, { signal, onProgress }) {
      this.validate(image);
      signal.throwIfAborted();
      const id = await keyOf(image, settings.fileAllow);
      const job = jobFor(image, id);
      job.waiters += 1;
      if (onProgress) job.listeners.add(onProgress);
      const gone = Promise.withResolvers<never>();
      const leave = (): void => gone.reject(signal.reason);
      signal.addEventListener('abort', leave, { once: true });
      try {
        return await Promise.race([job.done, gone.promise]);
      } finally {
        signal.removeEventListener('abort', leave);
        if (onProgress) job.listeners.delete(onProgress);
        job.waiters -= 1;
        if (job.waiters === 0) {
          // Who comes now starts a new job: this one is lost.
          if (jobs.get(id) === job) jobs.delete(id);
          job.controller.abort(new IngotError('aborted', 'nobody waits for this image any more'));
        }
      }
    },

    async path(id, form) {
      if (!/^[0-9a-f]{64}$/.test(id) || (await ready(id)) === undefined) return undefined;
      return join(settings.dir, id, form);
    },

    async sweep() {
      await mkdir(settings.dir, { recursive: true, mode: 0o700 });
      const left = (await readdir(settings.dir)).filter((name) => name.startsWith('.work-'));
      for (const name of left) await rm(join(settings.dir, name), { recursive: true, force: true });
    },

    async stop() {
      const left = [...running];
      for (const job of left)
        job.controller.abort(new IngotError('interrupted', 'The conductor is shutting down.'));
      await Promise.allSettled(left.map(({ done }) => done));
    },
  };
}

/** By what the image is, not where it comes from; a file without a digest by its path, size and time. */
async function keyOf(image: ImageRequest, allowed: readonly string[]): Promise<string> {
  const { digest, source, diskFormat = '' } = image;
  const identity =
    digest === undefined ? await fileIdentity(source, allowed) : `${digest.algorithm}:${digest.value}`;
  return createHash('sha256').update(`${identity}\0${diskFormat}`).digest('hex');
}

async function fileIdentity(source: string, allowed: readonly string[]): Promise<string> {
  const path = await openFileSource(source, allowed);
  const { size, mtimeMs } = await stat(path);
  return `${path}\0${size}\0${mtimeMs}`;
}
