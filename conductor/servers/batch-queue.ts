/**
 * A queue that is processed in batches: a batch takes all items that wait when it begins, in the order in which they
 * were added. One batch runs at a time.
 */

export type Queued<T> = T & { readonly done: () => void; readonly failed: (error: unknown) => void };

export interface BatchQueue<T> {
  /** Resolves when the item is done. Rejects when it or its batch failed. */
  add(item: T): Promise<void>;
}

export function createBatchQueue<T extends object>(
  serve: (batch: readonly Queued<T>[]) => Promise<void>,
): BatchQueue<T> {
  let waiting: Queued<T>[] = [];
  let isAtWork = false;

  async function serveWaiting(): Promise<void> {
    if (isAtWork) return;
    isAtWork = true;
    try {
      while (waiting.length > 0) {
        const batch = waiting;
        waiting = [];
        await serve(batch).catch((error: unknown) => {
          for (const item of batch) item.failed(error);
        });
      }
    } finally {
      isAtWork = false;
    }
  }

  return {
    add(item) {
      const { promise, resolve, reject } = Promise.withResolvers<void>();
      waiting.push({ ...item, done: resolve, failed: reject });
      // never rejects: errors are passed to those who wait
      void serveWaiting();
      return promise;
    },
  };
}
