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
  imageProjectBytes: {
    name: 'image_service.project_gib',
    type: 'number',
    default: 256,
    min: 0,
    max: 100_000,
    unit: 'GiB',
    help: 'Quota of each project: the data of all images that belong to it. 0: no limit.',
  },
  imageStallMs: {
    name: 'image_service.stall_seconds',
    type: 'integer',
    default: 60,
    min: 1,
    max: 3600,
    unit: 'seconds',
    help: 'An upload or import without data for this time is given up.',
  },
  imageImportLimitMs: {
    name: 'image_service.import_timeout',
    type: 'integer',
    default: 3600,
    min: 10,
    max: DAY_SECONDS,
    unit: 'seconds',
    help: 'Time limit for one import of an image.',
  },
  imageImportPorts: {
    name: 'image_service.import_ports',
    type: 'list',
    default: ['80', '443'],
    help: 'Ports from which images may be imported. The addresses are those that `outbound.allow` allows.',
  },
} as const satisfies Settings;
