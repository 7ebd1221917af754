/**
 * How many bytes of images a project may store. What is being received counts like what is stored, so that uploads at
 * the same time do not exceed the quota together. The refusal has the text of Glance's unified limits.
 */
import { IngotError } from '../domain/errors.ts';
import type { ImageRecords } from './image-records.ts';

export interface ImageQuota {
  /**
   * Runs `work`, which receives and stores the data of an image of this project. It calls `count` with the bytes that it
   * has so far; `announcedBytes` are counted before. Throws tooLarge.
   */
  within<T>(
    owner: string | null,
    announcedBytes: number | null,
    work: (count: (bytes: number) => void) => Promise<T>,
  ): Promise<T>;
}

/** A project that receives data. */
interface Account {
  storedBytes: number;
  /** Bytes of transfers that run. */
  receivedBytes: number;
  transfers: number;
}

const MEBI = 1024 * 1024;

/** 0 is no limit. */
export function createImageQuota(limitBytes: number, records: Pick<ImageRecords, 'all'>): ImageQuota {
  const accounts = new Map<string, Account>();

  async function open(owner: string): Promise<Account> {
    const storedBytes = await storedBy(records, owner);
    // Another transfer of the project may have begun meanwhile, and counts what ends from then on.
    const account = accounts.get(owner) ?? { storedBytes, receivedBytes: 0, transfers: 0 };
    accounts.set(owner, account);
    account.transfers += 1;
    return account;
  }

  return {
    async within(owner, announcedBytes, work) {
      if (limitBytes === 0 || owner === null) return work(() => undefined);
      const account = await open(owner);
      let mine = 0;
      const count = (bytes: number): void => {
        const more = Math.max(0, bytes - mine);
        const used = account.storedBytes + account.receivedBytes;
        if (used + more > limitBytes) throw overLimit(owner, limitBytes, used, more);
        account.receivedBytes += more;
        mine += more;
      };
      try {
        count(announcedBytes ?? 1);
        const result = await work(count);
        account.storedBytes += mine;
        return result;
      } finally {
        account.receivedBytes -= mine;
        account.transfers -= 1;
        if (account.transfers === 0) accounts.delete(owner);
      }
    },
  };
}

async function storedBy(records: Pick<ImageRecords, 'all'>, owner: string): Promise<number> {
  const images = await records.all();
  return images.reduce((sum, image) => (image.owner === owner ? sum + (image.sizeBytes ?? 0) : sum), 0);
}

/** In MiB, as Glance counts. */
function overLimit(owner: string, limit: number, used: number, more: number): IngotError {
  const [limitMebi, usedMebi, moreMebi] = [limit, used, more].map((bytes) => Math.ceil(bytes / MEBI));
  return new IngotError(
    'tooLarge',
    `Project ${owner} is over a limit for [Resource image_size_total is over limit of ${limitMebi} due to current usage ${usedMebi} and delta ${moreMebi}]. To try: delete images that are not needed, or ask the operator to raise image_service.project_gib.`,
  );
}
