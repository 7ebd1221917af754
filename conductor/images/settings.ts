/**
 * Settings of the image cache.
 */
import { DAY_SECONDS, type Settings } from '../domain/setting.ts';

export const IMAGE_SETTINGS = {
  imageAllow: {
    name: 'images.file_allow',
    type: 'list',
    default: [],
    help: 'Directories that `file://` image sources may lie in. Empty: none may be used.',
  },
  imageCacheBytes: {
    name: 'images.cache_gib',
    type: 'number',
    default: 20,
    min: 1,
    max: 100_000,
    unit: 'GiB',
    help: 'Size of the image cache; the least recently used go first.',
  },
  imageFetchLimitMs: {
    name: 'images.fetch_timeout',
    type: 'integer',
    default: 3600,
    min: 60,
    max: DAY_SECONDS,
    unit: 'seconds',
    help: 'Longest time one image may take to be fetched into the cache. A source that sends nothing for 60 seconds is given up before.',
  },
  imageAllowMd5: {
    name: 'images.allow_md5',
    type: 'flag',
    default: false,
    help: 'Accept md5 checksums of images. Files of one md5 can be forged: prefer sha256 or sha512.',
  },
} as const satisfies Settings;
