/**
 * The parts of the image service over a store in memory and a directory of their own, for tests of one file of it.
 */
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Image } from '@ingot/conductor/domain/compute.ts';
import type { Tenant } from '@ingot/conductor/identity/tenant.ts';
import type { ImageServiceDeps } from '@ingot/conductor/image-service/deps.ts';
import { type ImageFiles, openImageFiles } from '@ingot/conductor/image-service/image-files.ts';
import { createImageIntake, type ImageIntake } from '@ingot/conductor/image-service/image-intake.ts';
import { createImageRecords, type ImageRecords } from '@ingot/conductor/image-service/image-records.ts';
import {
  createRunningTransfers,
  type RunningTransfers,
} from '@ingot/conductor/image-service/running-transfers.ts';
import { openStore } from '@ingot/conductor/store/sqlite/store.ts';

export const BLUE: Tenant = { projectId: 'blue', userId: 'b', isAdmin: false, isMember: true };
export const RED: Tenant = { ...BLUE, projectId: 'red' };
export const ADMIN: Tenant = { ...BLUE, projectId: 'admins', isAdmin: true };
export const IMAGE_UUID = '6b3f7e7a-3a0c-4d6c-9d0e-5a1f0c2b7e11';

export interface ImageParts extends AsyncDisposable {
  readonly dir: string;
  readonly records: ImageRecords;
  readonly files: ImageFiles;
  readonly transfers: RunningTransfers;
  readonly intake: ImageIntake;
  /** Adds a queued raw image of the project `blue`. */
  add(fields?: Partial<Image>): Promise<Image>;
  /** Names in the directory. */
  names(): Promise<string[]>;
}

/** By default all data is as its image declares. */
export async function openImageParts(
  examine: ImageServiceDeps['examine'] = async () => ({ ok: true, virtualSize: 7 }),
): Promise<ImageParts> {
  const dir = await mkdtemp(join(tmpdir(), 'ingot-image-parts-'));
  const store = await openStore({ path: ':memory:' });
  const records = createImageRecords(store.compute.images, () => new Date());
  const files = openImageFiles({ dir });
  const transfers = createRunningTransfers();
  return {
    dir,
    records,
    files,
    transfers,
    intake: createImageIntake({ examine }, records, files, transfers),
    add: (fields = {}) =>
      records.create({
        uuid: IMAGE_UUID,
        visibility: 'private',
        owner: 'blue',
        diskFormat: 'raw',
        containerFormat: 'bare',
        ...fields,
      }),
    names: () => readdir(dir),
    async [Symbol.asyncDispose]() {
      await store.close();
      await rm(dir, { recursive: true });
    },
  };
}
