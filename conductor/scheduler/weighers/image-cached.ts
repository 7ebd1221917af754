/**
 * ImageCachedWeigher: prefers hosts whose image is already in the cache.
 */
import type { Weigher } from './weigher.ts';

export const imageCached: Weigher = (host, { image }) =>
  image !== undefined && host.cachedImages.has(image.uuid) ? 1 : 0;
