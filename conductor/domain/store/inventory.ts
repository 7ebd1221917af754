/**
 * The data of the last inspection of a node.
 */
import type { JsonObject } from '../json.ts';

export interface Inventory {
  readonly inventory: JsonObject;
  readonly pluginData: JsonObject;
}

export interface InventoryStore {
  put(nodeUuid: string, inventory: Inventory, now: Date): Promise<void>;
  get(nodeUuid: string): Promise<Inventory | undefined>;
}
