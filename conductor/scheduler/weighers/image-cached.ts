/**
 * ImageCachedWeigher: where the image is at hand already.
 */
import type { Weigher } from './weigher.ts';

export const imageCached: Weigher = (host, { image }) =>
  image !== undefined && host.cachedImages.has(image.id) ? 1 : 0;
