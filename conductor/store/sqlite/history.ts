/** Node history, listed oldest first as Ironic does. The number of entries per node is limited. */
import { IngotError, notFound } from '../../domain/errors.ts';
import type { HistoryEntry, HistoryStore } from '../../domain/store/history.ts';
import type { Database } from './database.ts';
import { explaining } from './database.ts';
import { createCodec } from './row-codec.ts';
import { HISTORY_COLUMNS } from './schema.ts';

const KEPT_PER_NODE = 300;

const codec = createCodec<typeof HISTORY_COLUMNS, HistoryEntry & { id: number }>(HISTORY_COLUMNS);

export function createHistoryStore(db: Database): HistoryStore {
  return {
    add: (entry) =>
      explaining(
        db,
        ({ kind }) =>
          kind === 'unique'
            ? new IngotError('conflict', `A history entry with UUID ${entry.uuid} already exists.`)
            : notFound('Node', entry.nodeUuid),
        () =>
          db.atomic(async ({ query }) => {
            await query
              .insertInto('history')
              .values(codec.encode({ ...entry }).values)
              .execute();
            const oldest = query
              .selectFrom('history')
              .select('id')
              .where('node_uuid', '=', entry.nodeUuid)
              .orderBy('id', 'desc')
              .limit(1)
              .offset(KEPT_PER_NODE);
            await query
              .deleteFrom('history')
              .where('node_uuid', '=', entry.nodeUuid)
              .where('id', '<=', oldest)
              .execute();
          }),
      ),

    async find(nodeUuid, uuid) {
      const row = await db.query
        .selectFrom('history')
        .selectAll()
        .where('uuid', '=', uuid)
        .where('node_uuid', '=', nodeUuid)
        .executeTakeFirst();
      return row && decode(row);
    },

    async list(nodeUuid, { limit, marker }) {
      const from = marker === undefined ? 0 : await idOf(db, nodeUuid, marker);
      const rows = await db.query
        .selectFrom('history')
        .selectAll()
        .where('node_uuid', '=', nodeUuid)
        .where('id', '>', from)
        .orderBy('id')
        .limit(limit)
        .execute();
      return rows.map(decode);
    },
  };
}

async function idOf(db: Database, nodeUuid: string, uuid: string): Promise<number> {
  const row = await db.query
    .selectFrom('history')
    .select('id')
    .where('uuid', '=', uuid)
    .where('node_uuid', '=', nodeUuid)
    .executeTakeFirst();
  if (row === undefined) throw notFound('History entry', uuid);
  return row.id ?? 0;
}

function decode(row: object): HistoryEntry {
  const { id: _, ...entry } = codec.decode(row);
  return entry;
}
