/**
 * Dependencies of the engine for tests: a quiet logger, short limits, an image cache with one image.
 */
import type { ConfigDriveBuilder } from '@ingot/conductor/domain/drivers.ts';
import type { ImageCache } from '@ingot/conductor/domain/images.ts';
import type { Logger } from '@ingot/conductor/engine/deps.ts';
import type { EngineSettings } from '@ingot/conductor/engine/settings.ts';

const quiet = (): void => undefined;
export const quietLogger: Logger = { debug: quiet, info: quiet, warn: quiet, error: quiet };

export const testSettings: EngineSettings = {
  host: 'test-conductor',
  conductorGroup: '',
  lockQueueMs: 2_000,
  holdDeadlineMs: 60_000,
  bootTimeoutMs: 1_800_000,
  bootLimitScale: 1,
  commandTimeoutMs: 60_000,
  longCommandTimeoutMs: 3_600_000,
  automatedClean: true,
  powerSyncIntervalMs: 3_600_000,
  powerSyncWorkers: 2,
  powerSyncMaxFailures: 3,
};

export const fakeImages: ImageCache = {
  validate: quiet,
  ensure: async () => ({
    id: 'ab'.repeat(32),
    sizeBytes: 1024,
    digest: { algorithm: 'sha256', value: 'cd'.repeat(32) },
    compressed: {
      sizeBytes: 10,
      digest: { algorithm: 'sha256', value: 'ef'.repeat(32) },
    },
  }),
  pathsFor: () => ({ raw: '/images/ab/raw', compressed: '/images/ab/zst' }),
};

export const fakeConfigDrives: ConfigDriveBuilder = { build: async () => 'H4sI', validate: quiet };
