/**
 * Sightings of a machine while it boots.
 */
import type { BootSighting } from '../boot.ts';

export interface SightingStore {
  /** A MAC also finds the rows of its node. Rows per MAC are bounded. */
  add(sighting: BootSighting): Promise<void>;
  /** Sightings of a node (by uuid or any of its ports' MACs) at or after `since`, oldest first. */
  forNode(nodeUuid: string, since: Date): Promise<BootSighting[]>;
}
