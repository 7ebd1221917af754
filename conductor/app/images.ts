/**
 * Images: the cache for deployments, and the library of the image service. Each uses the other.
 */
import { join } from 'node:path';
import type { Outbound } from '../domain/outbound/outbound.ts';
import { createImageService } from '../image-service/create-image-service.ts';
import type { ImageLibrary } from '../image-service/image-library.ts';
import { createImageCache, type ImageCacheService } from '../images/cache.ts';
import { createImageChecks } from '../images/image-checks.ts';
import { openForImport } from '../images/import-source.ts';
import type { Foundation } from './foundation.ts';

export interface Images {
  readonly cache: ImageCacheService;
  readonly library: ImageLibrary;
  /** Whether users can store images in the image service. */
  readonly isShared: boolean;
}

export function openImages({ config, store, logger, now }: Foundation, outbound: Outbound): Images {
  const isShared = config.computeListen !== null;
  const checks = createImageChecks({ dir: join(config.dataDir, 'images', 'refused') });
  const library = createImageService({
    store,
    settings: {
      dir: join(config.dataDir, 'image-service'),
      maxBytes: config.imageMaxBytes,
      projectBytes: config.imageProjectBytes,
      stallMs: config.imageStallMs,
      importLimitMs: config.imageImportLimitMs,
      importPorts: config.imageImportPorts,
    },
    examine: (path, bytes, declared, sha512, signal) =>
      checks.examine(`${sha512} ${declared}`, { path, bytes, declared }, signal),
    fetch: (url, options) => openForImport(url, { ...options, outbound }),
    checkAddress: (url) => outbound.checkAddress(url),
    prepared: (requests) => cache.prepared(requests),
    logger,
    now,
  });
  const cache = createImageCache(
    {
      dir: join(config.dataDir, 'images'),
      fileAllow: config.imageAllow,
      maxBytes: config.imageCacheBytes,
      checks,
      fetchLimitMs: config.imageFetchLimitMs,
      allowMd5: config.imageAllowMd5,
      // Without an image service a UUID is not a valid image_source.
      ...(isShared ? { stored: library.stored } : {}),
    },
    outbound,
  );
  return { cache, library, isShared };
}
