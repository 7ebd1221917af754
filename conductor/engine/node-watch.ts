/**
 * Watchers of a node, called whenever work on it is done. A call only means "read the node again"; a missed call does
 * no harm.
 */
export interface NodeWatch {
  /** Returns a function that ends the watch. */
  watch(nodeUuid: string, look: () => void): () => void;
  changed(nodeUuid: string): void;
}

export function createNodeWatch(): NodeWatch {
  const watchers = new Map<string, Set<() => void>>();
  return {
    watch(nodeUuid, look) {
      const looks = watchers.get(nodeUuid) ?? new Set();
      watchers.set(nodeUuid, looks.add(look));
      return () => {
        looks.delete(look);
        if (looks.size === 0 && watchers.get(nodeUuid) === looks) watchers.delete(nodeUuid);
      };
    },
    changed(nodeUuid) {
      for (const look of watchers.get(nodeUuid) ?? []) look();
    },
  };
}
