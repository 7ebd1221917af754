/**
 * Settings of the image service.
 */
import { DAY_SECONDS, type Settings } from '../domain/setting.ts';

export const IMAGE_SERVICE_SETTINGS = {
  imageMaxBytes: {
    name: 'image_service.max_gib',
    type: 'number',
    default: 64,
    min: 0.001,
    max: 100_000,
    unit: 'GiB',
    help: 'Largest image that may be uploaded or imported.',
  },
  imageStallMs: {
    name: 'image_service.stall_seconds',
    type: 'integer',
    default: 60,
    min: 1,
    max: 3600,
    unit: 'seconds',
    help: 'An upload or import that brings nothing for so long is given up.',
  },
  imageImportLimitMs: {
    name: 'image_service.import_timeout',
    type: 'integer',
    default: 3600,
    min: 10,
    max: DAY_SECONDS,
    unit: 'seconds',
    help: 'Longest time one import of an image may take.',
  },
  imageImportHosts: {
    name: 'image_service.import_hosts',
    type: 'list',
    default: [],
    help: 'Hosts, as `host:port`, that images may be imported from whatever their port and address. From others, ports 80 and 443 are open, and never an address of this machine or of its links.',
  },
} as const satisfies Settings;
