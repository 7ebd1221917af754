/**
 * A store that dies after so many writes, as a conductor does that is killed: what was written stays, and every
 * call after that fails. A transaction is one write, and is undone when the end comes within.
 */
import type { Store } from '@ingot/conductor/domain/store/store.ts';

export interface MortalStore {
  readonly store: Store;
  /** From now on it lives for so many writes. */
  dieAfter(writes: number): void;
  /** Resolves when it is dead. */
  readonly died: Promise<void>;
}

const READS: ReadonlySet<PropertyKey> = new Set([
  ...['find', 'get', 'peek', 'list', 'listShown', 'shards', 'findByMacs', 'current', 'unfinished', 'forNode'],
  ...['byMac', 'byAddress', 'declined'],
]);

type Call = (...args: unknown[]) => Promise<unknown>;

export function mortalStore(inner: Store): MortalStore {
  let left = Number.POSITIVE_INFINITY;
  const { promise: died, resolve: die } = Promise.withResolvers<void>();

  const live = (): void => {
    if (left <= 0) throw new Error('the conductor is dead');
  };
  const written = (): void => {
    if (--left <= 0) die();
  };

  /** `counts`: each write by itself, not as a part of a transaction. */
  function guarded<T extends object>(part: T, counts: boolean): T {
    return new Proxy(part, {
      get(target, name, receiver) {
        const value: unknown = Reflect.get(target, name, receiver);
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
    dieAfter(writes) {
      left = writes;
    },
    died,
  };
}
