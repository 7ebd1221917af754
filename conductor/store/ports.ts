/** Ports: the network cards of nodes, found by MAC. */
import type { Insertable, Updateable } from 'kysely';
import { sql } from 'kysely';
import { IngotError } from '../domain/errors.ts';
import type { Port, PortPatch } from '../domain/node.ts';
import type { Page, PortStore } from '../domain/store.ts';
import type { Database } from './database.ts';
import { explaining } from './database.ts';
import type { Marker } from './paging.ts';
import { paged, sortColumn } from './paging.ts';
import { createCodec } from './row-codec.ts';
import type { Schema } from './schema.ts';
import { PORT_COLUMNS } from './schema.ts';
import type { BrokenConstraint } from './sqlite.ts';

const codec = createCodec<typeof PORT_COLUMNS, Port>(PORT_COLUMNS);

export function createPortStore(db: Database): PortStore {
  async function markerOf(page: Page, column: string): Promise<Marker | undefined> {
    if (page.marker === undefined) return undefined;
    const row = await db.query
      .selectFrom('ports')
      .select(['id', sql.ref<string | number | null>(column).as('value')])
      .where('uuid', '=', page.marker)
      .executeTakeFirst();
    if (row === undefined) throw noPort(page.marker);
    return { id: row.id ?? 0, value: row.value };
  }

  return {
    create: (port, now) =>
      explaining(db, refused(port.uuid, port), async () => {
        const { values } = codec.encode({ ...port, createdAt: now });
        const row = await db.query
          .insertInto('ports')
          .values(values as Insertable<Schema['ports']>)
          .returningAll()
          .executeTakeFirstOrThrow();
        return codec.decode(row);
      }),

    async find(uuid) {
      const row = await db.query.selectFrom('ports').selectAll().where('uuid', '=', uuid).executeTakeFirst();
      return row && codec.decode(row);
    },

    async list({ nodeUuid, address }, page) {
      const column = sortColumn(codec, page);
      const marker = await markerOf(page, column);
      const query = db.query
        .selectFrom('ports')
        .selectAll()
        .$if(nodeUuid !== undefined, (q) => q.where('node_uuid', '=', nodeUuid!))
        .$if(address !== undefined, (q) => q.where('address', '=', address!));
      return (await paged(query, 'ports', column, page, marker).execute()).map((row) => codec.decode(row));
    },

    update: (uuid, patch, now) =>
      explaining(db, refused(uuid, patch), async () => {
        const { values } = codec.encode({ ...patch, updatedAt: now });
        const row = await db.query
          .updateTable('ports')
          .set(values as Updateable<Schema['ports']>)
          .where('uuid', '=', uuid)
          .returningAll()
          .executeTakeFirst();
        if (row === undefined) throw noPort(uuid);
        return codec.decode(row);
      }),

    async delete(uuid) {
      const { numDeletedRows } = await db.query
        .deleteFrom('ports')
        .where('uuid', '=', uuid)
        .executeTakeFirst();
      if (numDeletedRows === 0n) throw noPort(uuid);
    },
  };
}

function noPort(uuid: string): IngotError {
  return new IngotError('notFound', `Port ${uuid} could not be found.`);
}

function refused(uuid: string, patch: PortPatch) {
  return (broken: BrokenConstraint) => {
    if (broken.kind === 'foreign key') {
      return new IngotError('notFound', `Node ${patch.nodeUuid} could not be found.`);
    }
    if (broken.column === 'ports.address') {
      return new IngotError('conflict', `A port with MAC address ${patch.address} already exists.`);
    }
    if (broken.column === 'ports.uuid') {
      return new IngotError('conflict', `A port with UUID ${uuid} already exists.`);
    }
    return undefined;
  };
}
