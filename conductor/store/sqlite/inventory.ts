/** The data of the last inspection: one row per node, replaced as a whole. */
import { notFound } from '../../domain/errors.ts';
import type { Inventory, InventoryStore } from '../../domain/store/inventory.ts';
import type { Database } from './database.ts';
import { explaining } from './database.ts';
import { privateColumns } from './private-columns.ts';
import { createCodec } from './row-codec.ts';
import { INVENTORY_COLUMNS } from './schema.ts';

const codec = createCodec<typeof INVENTORY_COLUMNS, Inventory>(INVENTORY_COLUMNS);
const hidden = privateColumns('inventory', INVENTORY_COLUMNS);

export function createInventoryStore(db: Database): InventoryStore {
  return {
    put: (nodeUuid, { inventory, pluginData }, now) =>
      explaining(
        db,
        () => notFound('Node', nodeUuid),
        async () => {
          const { values } = codec.encode({ nodeUuid, inventory, pluginData, updatedAt: now });
          hidden.hide(db.cipher, nodeUuid, values);
          await db.query
            .insertInto('inventory')
            .values(values)
            .onConflict((conflict) => conflict.column('node_uuid').doUpdateSet(values))
            .execute();
        },
      ),

    async get(nodeUuid) {
      const row = await db.query
        .selectFrom('inventory')
        .selectAll()
        .where('node_uuid', '=', nodeUuid)
        .executeTakeFirst();
      if (row === undefined) return undefined;
      hidden.show(db.cipher, nodeUuid, row);
      const { inventory, pluginData } = codec.decode(row);
      return { inventory, pluginData };
    },
  };
}
