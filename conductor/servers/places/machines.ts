/**
 * Nodes for the catalog: few fields, no secrets.
 */
import type { Node } from '../../domain/node.ts';
import { ALL_ROWS } from '../../domain/store/page.ts';
import type { Store } from '../../domain/store/store.ts';

export type ListedMachine = Pick<Node, 'id' | 'uuid' | 'name' | 'instanceUuid'>;
/** Child nodes are not hosts. */
export const MACHINES = { child: false } as const;
const LISTED = ['id', 'uuid', 'name', 'instanceUuid'] as const;

/** Oldest first. */
export const everyMachine = ({ nodes }: Pick<Store, 'nodes'>): Promise<ListedMachine[]> =>
  nodes.listShown(MACHINES, ALL_ROWS, LISTED);
