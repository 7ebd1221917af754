/**
 * A store that fails after a given number of writes, as for a conductor that is killed: earlier writes are kept, and
 * every later call fails. A transaction counts as one write, and is rolled back when the failure comes during it.
 */
import type { Store } from '@ingot/conductor/domain/store/store.ts';

export interface FailingStore {
  readonly store: Store;
  /** Allows this many further writes. */
  failAfter(writes: number): void;
  /** Resolves when the store has failed. */
  readonly failed: Promise<void>;
}

const READS: ReadonlySet<PropertyKey> = new Set([
  ...['find', 'get', 'peek', 'list', 'listShown', 'shards', 'findByMacs', 'current', 'unfinished', 'forNode'],
  ...['byMac', 'byAddress', 'declined'],
]);

type Call = (...args: unknown[]) => Promise<unknown>;

export function failingStore(inner: Store): FailingStore {
  let left = Number.POSITIVE_INFINITY;
  const { promise: failed, resolve: die } = Promise.withResolvers<void>();

  const live = (): void => {
    if (left <= 0) throw new Error('the conductor was killed');
  };
  const written = (): void => {
    if (--left <= 0) die();
  };

  /** `counts`: whether each write counts; false for the parts of a transaction. */
  function guarded<T extends object>(part: T, counts: boolean): T {
    return new Proxy(part, {
      get(target, name) {
        // Getters that create parts at their first use are not wrapped.
        const value: unknown = Reflect.get(target, name);
        if (typeof value === 'object' && value !== null) return guarded(value, counts);
        if (typeof value !== 'function') return value;
        if (name === 'transaction') return transaction(target as unknown as Store);
        return async (...args: unknown[]) => {
          live();
          const result = await (value as Call).apply(target, args);
          if (counts && !READS.has(name)) written();
          return result;
        };
      },
    });
  }

  const transaction =
    (on: Store): Store['transaction'] =>
    async (work) => {
      live();
      const result = await on.transaction(async (tx) => {
        const done = await work(guarded(tx, false));
        live();
        return done;
      });
      written();
      return result;
    };

  return {
    store: guarded(inner, true),
    failAfter(writes) {
      left = writes;
    },
    failed,
  };
}
