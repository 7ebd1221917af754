/**
 * The image cache: every image once, as raw bytes and as one zstd stream, under the digest of its source.
 *
 * Callers for the same image share one job; it is cancelled when the last of them is gone.
 * When the cache is over its size, entries go, least recently used first, except those in use.
 */
import { createHash } from 'node:crypto';
import { rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { IngotError } from '../domain/errors.ts';
import type { ImageCache, ImageProgress, ImageRequest, ReadyImage } from '../domain/images.ts';
import { type Form, openCacheEntries } from './cache-entries.ts';
import { compress, convertToRaw, sha256 } from './convert.ts';
import { createDigestLookup } from './digest-lookup.ts';
import { fetchImage } from './fetch.ts';
import { openFileSource } from './file-source.ts';
import { inspectImage } from './inspect.ts';
import { checkRequest, type RequestRules } from './request-check.ts';
import { completeFromStored } from './stored-image.ts';

export interface ImageCacheSettings extends RequestRules {
  readonly dir: string;
  readonly maxBytes: number;
  /** Of one whole transfer from a source; an hour when not given. */
  readonly fetchLimitMs?: number;
  /** Longest silence of a source; a minute when not given. */
  readonly stallMs?: number;
}

interface Job {
  readonly controller: AbortController;
  readonly done: Promise<ReadyImage>;
  waiters: number;
  readonly listeners: Set<(progress: ImageProgress) => void>;
}

export interface ServedFile {
  readonly path: string;
  /** To be called when it is sent or given up: until then the entry stays. */
  release(): void;
}

export interface ImageCacheService extends ImageCache {
  /** A prepared file, for serving; undefined when there is none. */
  serve(id: string, form: Form): Promise<ServedFile | undefined>;
  /** Those of these images, named by their digests, that agents can have without delay. */
  prepared<R extends ImageRequest>(requests: readonly R[]): Promise<R[]>;
  /** Removes what an earlier run left half made. */
  sweep(): Promise<void>;
  stop(): Promise<void>;
}

const STALL_MS = 60_000;
const FETCH_LIMIT_MS = 3_600_000;
const CHECKSUM_LIMIT_MS = 60_000;
/** An agent was told of an entry and has not come for it yet, or comes again after a cut. */
const HANDOVER_MS = 15 * 60_000;

export function createImageCache(settings: ImageCacheSettings): ImageCacheService {
  const entries = openCacheEntries(settings.dir);
  const stallMs = settings.stallMs ?? STALL_MS;
  const digests = createDigestLookup({ stallMs, limitMs: CHECKSUM_LIMIT_MS });
  const fetchLimits = {
    allowed: settings.fileAllow,
    stored: settings.stored,
    maxBytes: settings.maxBytes,
    stallMs,
    limitMs: settings.fetchLimitMs ?? FETCH_LIMIT_MS,
  };
  const jobs = new Map<string, Job>();
  /** Also those that are cancelled and still cleaning up. */
  const running = new Set<Job>();
  /** How many wait for an entry or are being sent one of its files. */
  const users = new Map<string, number>();

  function hold(id: string): () => void {
    users.set(id, (users.get(id) ?? 0) + 1);
    let held = true;
    return () => {
      if (!held) return;
      held = false;
      const left = (users.get(id) ?? 1) - 1;
      if (left === 0) users.delete(id);
      else users.set(id, left);
    };
  }

  async function prepare(
    image: ImageRequest,
    id: string,
    { controller, listeners }: Pick<Job, 'controller' | 'listeners'>,
  ): Promise<ReadyImage> {
    const known = await entries.use(id);
    if (known) return known;
    const { signal } = controller;
    const report = (progress: ImageProgress): void => {
      for (const listener of listeners) listener(progress);
    };
    const work = await entries.begin();
    const at = (name: string): string => join(work, name);
    try {
      const fetched = await fetchImage(image, at('source'), fetchLimits, { signal, onProgress: report });
      if ((await keyOf(image, settings.fileAllow)) !== id) throw changed(image);
      report({ phase: 'inspect', bytesDone: fetched.bytes, bytesTotal: fetched.bytes });
      const { format, virtualSize } = await inspectImage(at('source'), fetched.bytes, image.diskFormat);
      if (virtualSize > settings.maxBytes) throw tooLargeInside(virtualSize, settings.maxBytes);
      report({ phase: 'convert', bytesDone: 0, bytesTotal: virtualSize });
      if (format === 'raw') await rename(at('source'), at('raw'));
      else await convertToRaw(at('source'), at('raw'), virtualSize, signal);
      await rm(at('source'), { force: true });
      report({ phase: 'compress', bytesDone: 0, bytesTotal: virtualSize });
      const meta = await compressed(id, work, signal);
      signal.throwIfAborted();
      await entries.publish(work, meta);
      await evict();
      return meta;
    } finally {
      await rm(work, { recursive: true, force: true });
    }
  }

  async function evict(): Promise<void> {
    const found = (await entries.list()).sort((a, b) => a.usedAtMs - b.usedAtMs);
    let total = found.reduce((sum, { bytes }) => sum + bytes, 0);
    for (const { id, bytes, usedAtMs } of found) {
      if (total <= settings.maxBytes) return;
      if (users.has(id) || Date.now() - usedAtMs < HANDOVER_MS) continue;
      await entries.discard(id);
      total -= bytes;
    }
  }

  function jobFor(image: ImageRequest, id: string): Job {
    const known = jobs.get(id);
    if (known) return known;
    const controller = new AbortController();
    const listeners: Job['listeners'] = new Set();
    const release = hold(id);
    const done = prepare(image, id, { controller, listeners }).finally(() => {
      release();
      running.delete(job);
      if (jobs.get(id) === job) jobs.delete(id);
    });
    const job: Job = { controller, done, waiters: 0, listeners };
    running.add(job);
    jobs.set(id, job);
    return job;
  }

  return {
    validate: (image) => checkRequest(image, settings),

    async ensure(asked, { signal, onProgress, reuseChecksum = false }) {
      checkRequest(asked, settings);
      signal.throwIfAborted();
      const known = await completeFromStored(asked, settings.stored);
      const image = await digests.settle(known, { reuse: reuseChecksum, signal });
      checkRequest(image, settings);
      const id = await keyOf(image, settings.fileAllow);
      signal.throwIfAborted();
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

    async prepared(requests) {
      const ids = new Set((await entries.list()).map(({ id }) => id));
      const keyed = requests.filter(({ digest }) => digest !== undefined);
      const keys = await Promise.all(keyed.map((request) => keyOf(request, settings.fileAllow)));
      return keyed.filter((_, index) => ids.has(keys[index]!));
    },

    async serve(id, form) {
      const release = hold(id);
      if ((await entries.use(id)) !== undefined) return { path: entries.path(id, form), release };
      release();
      return undefined;
    },

    sweep: () => entries.sweep(),

    async stop() {
      const left = [...running];
      for (const job of left)
        job.controller.abort(new IngotError('interrupted', 'The conductor is shutting down.'));
      await Promise.allSettled(left.map(({ done }) => done));
    },
  };
}

async function compressed(id: string, work: string, signal: AbortSignal): Promise<ReadyImage> {
  const [raw, zst] = [join(work, 'raw'), join(work, 'zst')];
  const [rawDigest] = await together(signal, [
    (either) => sha256(raw, either),
    (either) => compress(raw, zst, either),
  ]);
  const [rawStat, zstStat] = await Promise.all([stat(raw), stat(zst)]);
  return {
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
}

/** Both at once. When one fails, the other is ended, and waited for: it works on the same files. */
async function together<A, B>(
  signal: AbortSignal,
  [first, second]: readonly [(either: AbortSignal) => Promise<A>, (either: AbortSignal) => Promise<B>],
): Promise<[A, B]> {
  const failed = new AbortController();
  const either = AbortSignal.any([signal, failed.signal]);
  const running = [first(either), second(either)] as const;
  try {
    return await Promise.all(running);
  } catch (error) {
    failed.abort(error);
    throw error;
  } finally {
    await Promise.allSettled(running);
  }
}

const changed = (image: ImageRequest): IngotError =>
  new IngotError(
    'imageFailure',
    `instance_info/image_source: ${image.source} changed while it was read. To try: deploy again when it is whole; put new images under a new name`,
  );

const tooLargeInside = (virtualSize: number, maxBytes: number): IngotError =>
  new IngotError(
    'imageFailure',
    `instance_info/image_source: the image holds a disk of ${virtualSize} bytes, and the image cache holds ${maxBytes}. To try: raise images.cache_gib`,
  );

/** By what the image is, not where it comes from; a file without a digest by its path, size and time. */
async function keyOf(image: ImageRequest, allowed: readonly string[]): Promise<string> {
  const { digest, source, diskFormat = '' } = image;
  const identity =
    digest === undefined ? await fileIdentity(source, allowed) : `${digest.algorithm}:${digest.value}`;
  return createHash('sha256').update(`${identity}\0${diskFormat}`).digest('hex');
}

async function fileIdentity(source: string, allowed: readonly string[]): Promise<string> {
  const { handle, identity } = await openFileSource(source, allowed);
  await handle.close();
  return identity;
}
