/**
 * Nodes as the catalogue speaks of them: few of their fields, no secrets.
 */
import type { Node } from '../../../domain/node.ts';
import type { Store } from '../../../domain/store.ts';

export type ListedMachine = Pick<Node, 'id' | 'uuid' | 'name' | 'instanceUuid'>;
const LISTED = ['id', 'uuid', 'name', 'instanceUuid'] as const;

/** Oldest first. */
export const everyMachine = ({ nodes }: Pick<Store, 'nodes'>): Promise<ListedMachine[]> =>
  nodes.listShown({}, { limit: Number.MAX_SAFE_INTEGER, sortKey: 'id', sortDir: 'asc' }, LISTED);
