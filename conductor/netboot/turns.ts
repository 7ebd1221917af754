/**
 * Runs work with the same key one after the other, and work with different keys in parallel.
 */

export type InTurn<K> = <T>(key: K, work: () => Promise<T>) => Promise<T>;

export function createTurns<K>(): InTurn<K> {
  /** The last piece of work of each key that has not ended. */
  const running = new Map<K, Promise<unknown>>();
  return async (key, work) => {
    const before = running.get(key) ?? Promise.resolve();
    const mine = before.then(work, work);
    running.set(key, mine);
    try {
      return await mine;
    } finally {
      if (running.get(key) === mine) running.delete(key);
    }
  };
}
