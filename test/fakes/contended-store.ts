/**
 * A store that others change at the same time, as the store's interface allows. Another writer commits just before a
 * transaction of the product begins, and the work of a transaction runs twice, as in a store with optimistic locks.
 */
import type { Store } from '@ingot/conductor/domain/store/store.ts';

export interface ContendedStore {
  readonly store: Store;
  /** `write` commits when the product next begins a transaction, before the transaction sees anything. */
  beforeNextTransaction(write: (store: Store) => Promise<unknown>): void;
  /** Transactions whose work ran twice. */
  readonly rerun: number;
}

/** Undoes the first run of a transaction's work. */
class Rerun extends Error {}

export function contendedStore(inner: Store, options: { readonly reruns?: boolean } = {}): ContendedStore {
  let other: ((store: Store) => Promise<unknown>) | undefined;
  let rerun = 0;

  async function firstRun(work: (store: Store) => Promise<unknown>): Promise<void> {
    const first = inner.transaction(async (tx) => {
      await work(tx);
      throw new Rerun();
    });
    await first.catch((error: unknown) => {
      if (error instanceof Rerun) rerun += 1;
    });
  }

  return {
    store: {
      ...inner,
      async transaction(work) {
        const write = other;
        other = undefined;
        await write?.(inner);
        if (options.reruns === true) await firstRun(work);
        return inner.transaction(work);
      },
    },
    beforeNextTransaction(write) {
      other = write;
    },
    get rerun() {
      return rerun;
    },
  };
}
