/**
 * The image cache. It holds every image once, as raw bytes and as a zstd stream, by its source and digest.
 *
 * Callers for the same image share one job (shared-jobs.ts). When the cache exceeds its size, the least recently used
 * entries are removed, except those in use (entry-holds.ts).
 */
import { createHash } from 'node:crypto';
import { rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { IngotError } from '../domain/errors.ts';
import {
  type ImageCache,
  type ImageProgress,
  type ImageRequest,
  type ReadyImage,
  STORED_SCHEME,
  storedImageId,
} from '../domain/images.ts';
import type { Outbound } from '../domain/outbound/outbound.ts';
import { redactedUrl } from '../domain/redacted-url.ts';
import { type Form, openCacheEntries } from './cache-entries.ts';
import { compress, sha256 } from './compress.ts';
import { createDigestLookup } from './digest-lookup.ts';
import { createEntryHolds } from './entry-holds.ts';
import { fetchImage } from './fetch.ts';
import { openFileSource } from './file-source.ts';
import { createImageChecks, type ImageChecks } from './image-checks.ts';
import { type ImageTickets, openImageTickets } from './image-tickets.ts';
import { checkRequest, type RequestRules } from './request-check.ts';
import { createSharedJobs, type Work } from './shared-jobs.ts';
import { completeFromStored } from './stored-image.ts';

export interface ImageCacheSettings extends Omit<RequestRules, 'refusal'> {
  readonly dir: string;
  readonly maxBytes: number;
  /** Default: with its memory in the directory of the cache. */
  readonly checks?: ImageChecks;
  /** Time limit of one transfer from a source; default one hour. */
  readonly fetchLimitMs?: number;
  /** Time limit without data from a source; default one minute. */
  readonly stallMs?: number;
}

export interface ServedFile {
  readonly path: string;
  /** Must be called when sending has ended. Until then the entry is kept. */
  release(): void;
}

export interface ImageCacheService extends ImageCache, Pick<ImageTickets, 'admits'> {
  /** A prepared file to send; undefined if there is none. */
  serve(id: string, form: Form): Promise<ServedFile | undefined>;
  /** Those of the requests whose image is prepared. Requests without a digest are left out. */
  prepared<R extends ImageRequest>(requests: readonly R[]): Promise<R[]>;
  /** Removes incomplete entries of an earlier run. */
  sweep(): Promise<void>;
  stop(): Promise<void>;
}

const STALL_MS = 60_000;
const FETCH_LIMIT_MS = 3_600_000;
const CHECKSUM_LIMIT_MS = 60_000;
/** Entries are kept this long after their last use: an agent may not have fetched its entry yet, or resume. */
const HANDOVER_MS = 15 * 60_000;

export function createImageCache(settings: ImageCacheSettings, outbound: Outbound): ImageCacheService {
  const entries = openCacheEntries(settings.dir);
  const rules: RequestRules = { ...settings, refusal: (url) => outbound.refusal(url) };
  const stallMs = settings.stallMs ?? STALL_MS;
  const digests = createDigestLookup({ outbound, stallMs, limitMs: CHECKSUM_LIMIT_MS });
  const fetchLimits = {
    outbound,
    allowed: settings.fileAllow,
    stored: settings.stored,
    maxBytes: settings.maxBytes,
    stallMs,
    limitMs: settings.fetchLimitMs ?? FETCH_LIMIT_MS,
  };
  const checks = settings.checks ?? createImageChecks({ dir: join(settings.dir, 'refused') });
  const jobs = createSharedJobs<ReadyImage, ImageProgress>();
  const holds = createEntryHolds();
  const tickets = openImageTickets(settings.dir);

  async function prepare(
    image: ImageRequest,
    id: string,
    signal: AbortSignal,
    report: (progress: ImageProgress) => void,
  ): Promise<ReadyImage> {
    const known = await entries.use(id);
    if (known) return known;
    await checks.known(id);
    const work = await entries.begin();
    const at = (name: string): string => join(work, name);
    try {
      const fetched = await fetchImage(image, at('source'), fetchLimits, { signal, onProgress: report });
      if ((await keyOf(image, settings.fileAllow)) !== id) throw changed(image);
      report({ phase: 'inspect', bytesDone: fetched.bytes, bytesTotal: fetched.bytes });
      const file = { path: at('source'), bytes: fetched.bytes, declared: image.diskFormat };
      const { format, virtualSize } = await checks.inspect(id, file, signal);
      if (virtualSize > settings.maxBytes) throw tooLargeInside(virtualSize, settings.maxBytes);
      report({ phase: 'convert', bytesDone: 0, bytesTotal: virtualSize });
      if (format === 'raw') await rename(at('source'), at('raw'));
      else await checks.unpack(id, at('source'), at('raw'), virtualSize, signal);
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
      if (holds.isHeld(id) || Date.now() - usedAtMs < HANDOVER_MS) continue;
      await entries.discard(id);
      total -= bytes;
    }
  }

  return {
    validate: (image) => checkRequest(image, rules),

    async ensure(asked, { signal, onProgress, reuseChecksum = false }) {
      checkRequest(asked, rules);
      signal.throwIfAborted();
      const known = await completeFromStored(asked, settings.stored);
      const image = await digests.settle(known, { reuse: reuseChecksum, signal });
      checkRequest(image, rules);
      const id = await keyOf(image, settings.fileAllow);
      const work: Work<ReadyImage, ImageProgress> = async (whileWanted, report) => {
        const release = holds.hold(id);
        try {
          return await prepare(image, id, whileWanted, report);
        } finally {
          release();
        }
      };
      return jobs.wait(id, work, { signal, onProgress });
    },

    pathsFor: ({ id }, node) => ({
      raw: tickets.pathFor(node, id, 'raw'),
      compressed: tickets.pathFor(node, id, 'zst'),
    }),

    admits: tickets.admits,

    async prepared(requests) {
      const ids = new Set((await entries.list()).map(({ id }) => id));
      const keyed = requests.filter(({ digest }) => digest !== undefined);
      const keys = await Promise.all(keyed.map((request) => keyOf(request, settings.fileAllow)));
      return keyed.filter((_, index) => ids.has(keys[index]!));
    },

    async serve(id, form) {
      const release = holds.hold(id);
      if ((await entries.use(id)) !== undefined) return { path: entries.path(id, form), release };
      release();
      return undefined;
    },

    sweep: () => entries.sweep(),

    stop: () => jobs.stop(),
  };
}

async function compressed(id: string, work: string, signal: AbortSignal): Promise<ReadyImage> {
  const [raw, zst] = [join(work, 'raw'), join(work, 'zst')];
  const [rawDigest] = await bothOf(signal, [
    (either) => sha256(raw, either),
    (either) => compress(raw, zst, either),
  ]);
  const [rawStat, zstStat] = await Promise.all([stat(raw), stat(zst)]);
  return {
    id,
    sizeBytes: rawStat.size,
    digest: { algorithm: 'sha256', value: rawDigest },
    compressed: {
      sizeBytes: zstStat.size,
      digest: { algorithm: 'sha256', value: await sha256(zst, signal) },
    },
  };
}

/** Runs both at the same time. When one fails, the other is cancelled and awaited, because they use the same files. */
async function bothOf<A, B>(
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
    `instance_info/image_source: ${redactedUrl(image.source)} changed while it was read. To try: deploy again when the file is complete; give new images a new name`,
  );

const tooLargeInside = (virtualSize: number, maxBytes: number): IngotError =>
  new IngotError(
    'imageFailure',
    `instance_info/image_source: the image contains a disk of ${virtualSize} bytes, but the image cache is limited to ${maxBytes}. To try: raise images.cache_gib`,
  );

/**
 * The key of an image: its source with its digest, or path, size and time of a file without a digest. The source is
 * part of it, so that knowing a digest does not open an image that someone else had fetched.
 */
async function keyOf(image: ImageRequest, allowed: readonly string[]): Promise<string> {
  const { digest, source, diskFormat = '' } = image;
  const stored = storedImageId(source);
  const origin = stored === undefined ? source : `${STORED_SCHEME}${stored}`;
  const identity =
    digest === undefined
      ? await fileIdentity(source, allowed)
      : `${origin}\0${digest.algorithm}:${digest.value}`;
  return createHash('sha256').update(`${identity}\0${diskFormat}`).digest('hex');
}

async function fileIdentity(source: string, allowed: readonly string[]): Promise<string> {
  const { handle, identity } = await openFileSource(source, allowed);
  await handle.close();
  return identity;
}
