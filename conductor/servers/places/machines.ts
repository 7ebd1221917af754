/**
 * Nodes as the catalogue speaks of them: few of their fields, no secrets.
 */
import type { Node } from '../../domain/node.ts';
import type { Store } from '../../domain/store/store.ts';

export type ListedMachine = Pick<Node, 'id' | 'uuid' | 'name' | 'instanceUuid'>;
/** What sits in another machine is none. */
export const MACHINES = { child: false } as const;
const LISTED = ['id', 'uuid', 'name', 'instanceUuid'] as const;

/** Oldest first. */
export const everyMachine = ({ nodes }: Pick<Store, 'nodes'>): Promise<ListedMachine[]> =>
  nodes.listShown(MACHINES, { limit: Number.MAX_SAFE_INTEGER, sortKey: 'id', sortDir: 'asc' }, LISTED);
