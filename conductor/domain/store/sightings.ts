/**
 * What was seen of a machine while it booted.
 */
import type { BootSighting } from '../boot.ts';

export interface SightingStore {
  /** Resolves a MAC to its node's rows too; bounded per MAC. */
  add(sighting: BootSighting): Promise<void>;
  /** Sightings of a node (by uuid or any of its ports' MACs) at or after `since`, oldest first. */
  forNode(nodeUuid: string, since: Date): Promise<BootSighting[]>;
}
