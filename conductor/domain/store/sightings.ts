/**
 * Sightings of a machine while it boots.
 */
import type { BootSighting } from '../boot.ts';

export interface SightingStore {
  /** Stores the sighting with the node of its uuid or MAC. Removes the oldest sightings above a limit. */
  add(sighting: BootSighting): Promise<void>;
  /** Sightings of a node, by its uuid or the MAC of any of its ports, at or after `since`, oldest first. */
  forNode(nodeUuid: string, since: Date): Promise<BootSighting[]>;
}
