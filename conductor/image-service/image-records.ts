/**
 * The records of images. Changes of one image run one after the other, each on the current record.
 */
import type { Image } from '../domain/compute.ts';
import type { RecordPatch } from '../domain/resources.ts';
import type { RecordStore } from '../domain/store/records.ts';
import type { Tenant } from '../identity/tenant.ts';
import { canSee, missingImage } from './image-access.ts';

const PAGE_ROWS = 1_000;

export type ImagePatch = RecordPatch<Image>;
export type NewImage = Pick<Image, 'uuid' | 'visibility' | 'owner'> & ImagePatch;

type Decision = ImagePatch | undefined;

export interface ImageRecords {
  /** Creates a queued image. Throws conflict when the UUID is in use. */
  create(image: NewImage): Promise<Image>;
  find(uuid: string): Promise<Image | undefined>;
  /** Throws notFound also for an image that the tenant may not see. */
  get(uuid: string, tenant: Tenant): Promise<Image>;
  /** All images, or those with one status, in order of creation. */
  all(status?: Image['status']): Promise<Image[]>;
  /**
   * Calls `decide` with the current record and stores the result; stores nothing when it is undefined. Throws
   * notFound.
   */
  change(uuid: string, decide: (image: Image) => Decision | Promise<Decision>): Promise<Image>;
  /** `check` throws when the image must stay; `cleanUp` runs before another change of this UUID. Throws notFound. */
  delete(uuid: string, check: (image: Image) => void, cleanUp: () => Promise<void>): Promise<void>;
}

export function createImageRecords(store: RecordStore<Image>, now: () => Date): ImageRecords {
  /** The last queued change of each image. */
  const tails = new Map<string, Promise<unknown>>();

  async function inTurn<T>(uuid: string, work: (image: Image) => Promise<T>): Promise<T> {
    const before = tails.get(uuid) ?? Promise.resolve();
    const mine = before.then(async () => {
      const image = await store.find(uuid);
      if (image === undefined) throw missingImage(uuid);
      return work(image);
    });
    // The caller handles a failure; the next change only waits until this one has ended.
    const ended = mine.then(
      () => undefined,
      () => undefined,
    );
    tails.set(uuid, ended);
    try {
      return await mine;
    } finally {
      if (tails.get(uuid) === ended) tails.delete(uuid);
    }
  }

  return {
    create: (image) =>
      store.create(
        {
          name: null,
          status: 'queued',
          diskFormat: null,
          containerFormat: null,
          minDiskGb: 0,
          minRamMb: 0,
          isProtected: false,
          isHidden: false,
          tags: [],
          properties: {},
          members: [],
          ...image,
        },
        now(),
      ),
    find: (uuid) => store.find(uuid),
    async get(uuid, tenant) {
      const image = await store.find(uuid);
      if (image === undefined || !canSee(tenant, image)) throw missingImage(uuid);
      return image;
    },
    async all(status) {
      const found: Image[] = [];
      for (;;) {
        const marker = found.at(-1)?.uuid;
        const page = { limit: PAGE_ROWS, sortKey: 'id', sortDir: 'asc' as const };
        const more = await store.list(
          status === undefined ? {} : { status },
          marker === undefined ? page : { ...page, marker },
        );
        found.push(...more);
        if (more.length < PAGE_ROWS) return found;
      }
    },
    change: (uuid, decide) =>
      inTurn(uuid, async (image) => {
        const patch = await decide(image);
        return patch === undefined ? image : store.update(uuid, patch, now());
      }),
    delete: (uuid, check, cleanUp) =>
      inTurn(uuid, async (image) => {
        check(image);
        await store.delete(uuid);
        await cleanUp();
      }),
  };
}
