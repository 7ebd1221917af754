/**
 * Work in turns: pieces of work with one key run one after the other, those with different keys beside each other.
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
