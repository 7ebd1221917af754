/**
 * A store that records every provision state of a node in the order in which it was written.
 */
import type { ProvisionState } from '@ingot/conductor/domain/states.ts';
import type { Store } from '@ingot/conductor/domain/store/store.ts';

export interface Move {
  readonly nodeUuid: string;
  readonly from: ProvisionState;
  readonly to: ProvisionState;
  readonly target: ProvisionState | null;
}

export interface ObservedStore {
  readonly store: Store;
  readonly moves: readonly Move[];
}

export function observeStates(inner: Store): ObservedStore {
  const moves: Move[] = [];
  const last = new Map<string, ProvisionState>();

  /** `note` is called for the changes of a transaction only after the commit. */
  function observed(store: Store, note: (entry: Omit<Move, 'from'>) => void): Store {
    // Inherited and not copied, because parts of a store may be created at their first use.
    const changed: Pick<Store, 'nodes' | 'transaction'> = {
      nodes: {
        ...store.nodes,
        async create(node, now) {
          const created = await store.nodes.create(node, now);
          last.set(created.uuid, created.provisionState);
          return created;
        },
        async update(uuid, patch, now) {
          const node = await store.nodes.update(uuid, patch, now);
          if (patch.provisionState !== undefined) {
            note({ nodeUuid: uuid, to: node.provisionState, target: node.targetProvisionState });
          }
          return node;
        },
      },
      async transaction(work) {
        const held: Omit<Move, 'from'>[] = [];
        const result = await store.transaction((tx) => work(observed(tx, (entry) => held.push(entry))));
        for (const entry of held) note(entry);
        return result;
      },
    };
    return Object.create(store, Object.getOwnPropertyDescriptors(changed)) as Store;
  }

  const store = observed(inner, (entry) => {
    moves.push({ ...entry, from: last.get(entry.nodeUuid) ?? 'enroll' });
    last.set(entry.nodeUuid, entry.to);
  });
  return { store, moves };
}
