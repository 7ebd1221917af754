/**
 * Who waits for a node, told whenever something that held it is done. A call says only "look again": nothing
 * depends on having got it.
 */
export interface NodeWatch {
  /** Returns how to end it. */
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
