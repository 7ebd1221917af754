/**
 * Settings of the image cache.
 */
import { DAY_SECONDS, type Settings } from '../domain/setting.ts';

export const IMAGE_SETTINGS = {
  imageAllow: {
    name: 'images.file_allow',
    type: 'list',
    default: [],
    help: 'Directories from which `file://` image sources may be read. Empty: none.',
  },
  imageCacheBytes: {
    name: 'images.cache_gib',
    type: 'number',
    default: 20,
    min: 1,
    max: 100_000,
    unit: 'GiB',
    help: 'Size of the image cache; the least recently used images are removed first.',
  },
  imageFetchLimitMs: {
    name: 'images.fetch_timeout',
    type: 'integer',
    default: 3600,
    min: 60,
    max: DAY_SECONDS,
    unit: 'seconds',
    help: 'Time limit for fetching one image into the cache. A source that sends no data for 60 seconds is given up earlier.',
  },
  imageAllowMd5: {
    name: 'images.allow_md5',
    type: 'flag',
    default: false,
    help: 'Accept md5 checksums of images. md5 collisions can be made on purpose: prefer sha256 or sha512.',
  },
} as const satisfies Settings;
