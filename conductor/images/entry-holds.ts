/**
 * Which cache entries are in use: the number of jobs that prepare an entry and of transfers of its files.
 */
export interface EntryHolds {
  /** Counts one more user; the answer ends this use, and may be called more than once. */
  hold(id: string): () => void;
  isHeld(id: string): boolean;
}

export function createEntryHolds(): EntryHolds {
  const users = new Map<string, number>();
  return {
    hold(id) {
      users.set(id, (users.get(id) ?? 0) + 1);
      let held = true;
      return () => {
        if (!held) return;
        held = false;
        const left = (users.get(id) ?? 1) - 1;
        if (left === 0) users.delete(id);
        else users.set(id, left);
      };
    },
    isHeld: (id) => users.has(id),
  };
}
