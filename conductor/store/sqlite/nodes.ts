/**
 * Nodes: one row for each; their secrets are in the table of secrets.
 */
import { sql } from 'kysely';
import type { Mac } from '../../domain/boot.ts';
import { IngotError, notFound } from '../../domain/errors.ts';
import type { Node, NodePatch } from '../../domain/node.ts';
import type { NodeFilter, NodeStore } from '../../domain/store/nodes.ts';
import type { Rows } from '../../domain/store/page.ts';
import type { Database } from './database.ts';
import { explaining, readSecrets, secretPlace, secretText, writeSecrets } from './database.ts';
import { matching } from './node-filter.ts';
import { decode, encode, type NodeRow, type ShownRow, shownPart, sortedBy } from './node-rows.ts';
import {
  deleteLeases,
  deleteOne,
  deleteSightings,
  FREE,
  findByAddresses,
  findOne,
  hold,
  insertOne,
  keepToken,
  openSession,
  peekOne,
  release,
  selectNodes,
  storeHeartbeat,
  updateOne,
  type Values,
} from './node-statements.ts';
import type { Marker } from './paging.ts';
import { paged } from './paging.ts';
import type { Schema } from './schema.ts';
import type { BrokenConstraint } from './sqlite.ts';

export const createNodeStore = (db: Database): NodeStore => ({
  ...records(db),
  ...lists(db),
  ...agentSessions(db),
  ...holds(db),
});

/** The node of a row, with its secrets. */
const whole = (db: Database, row: NodeRow): Node =>
  decode(row, readSecrets(db, 'node', row.uuid ?? '', row.secrets));

async function find(db: Database, ident: string): Promise<Node | undefined> {
  const { rows } = await findOne(db, { ident });
  return rows[0] && whole(db, rows[0]);
}

function records(db: Database): Pick<NodeStore, 'create' | 'get' | 'find' | 'peek' | 'update' | 'delete'> {
  return {
    create: (node, now) =>
      explaining(db, taken(node.uuid, node), () =>
        db.atomic(async (within) => {
          const { values, secrets } = encode(node, { createdAt: now });
          const { rows } = await insertOne(within, Object.keys(values), values as Values);
          const kept = await writeSecrets(within, 'node', node.uuid, undefined, secrets);
          return decode(rows[0] as ShownRow, kept);
        }),
      ),

    async get(ident) {
      const node = await find(db, ident);
      if (node === undefined) throw notFound('Node', ident);
      return node;
    },

    find: (ident) => find(db, ident),

    async peek(ident) {
      const { rows } = await peekOne(db, { ident });
      if (rows[0] === undefined) throw notFound('Node', ident);
      return whole(db, rows[0]);
    },

    update: (uuid, patch, now) =>
      explaining(db, taken(uuid, patch), async () => {
        const { values, secrets } = encode(patch, { updatedAt: now });
        const change = async (within: Database): Promise<NodeRow> => {
          const { rows } = await updateOne(within, Object.keys(values), {
            ...(values as Values),
            $uuid: uuid,
          });
          if (rows[0] === undefined) throw notFound('Node', uuid);
          return rows[0];
        };
        if (secrets.fields.length === 0) {
          return whole(db, await change(db));
        }
        return db.atomic(async (within) => {
          const row = await change(within);
          const before = readSecrets(within, 'node', uuid, row.secrets);
          return decode(row, await writeSecrets(within, 'node', uuid, before, secrets));
        });
      }),

    delete: (uuid) =>
      explaining(db, hasChildren(uuid), () =>
        db.atomic(async (within) => {
          await deleteLeases(within, { uuid });
          await deleteSightings(within, { uuid });
          // The foreign keys delete its ports, operations, history, inventory, secrets and other sightings.
          const { numAffectedRows } = await deleteOne(within, { uuid });
          if (numAffectedRows === 0n) throw notFound('Node', uuid);
        }),
      ),
  };
}

function lists(db: Database): Pick<NodeStore, 'list' | 'listShown' | 'shards' | 'findByMacs'> {
  async function markerOf(page: Rows, column: string): Promise<Marker | undefined> {
    if (page.marker === undefined) return undefined;
    const row = await db.query
      .selectFrom('nodes')
      .select(['id', sql.ref<string | number | null>(column).as('value')])
      .where('uuid', '=', page.marker)
      .executeTakeFirst();
    if (row === undefined) throw notFound('Node', page.marker);
    return { id: row.id ?? 0, value: row.value };
  }

  return {
    async list(filter, page) {
      const column = sortedBy(page);
      const marker = await markerOf(page, column);
      const query = paged(selectNodes(db).where(matching(filter)), 'nodes', column, page, marker);
      return (await query.execute()).map((row) => whole(db, row));
    },

    async listShown<F extends keyof Node>(filter: NodeFilter, page: Rows, fields: readonly F[]) {
      const column = sortedBy(page);
      const marker = await markerOf(page, column);
      const { columns, decode: decodeShown } = shownPart(fields);
      const select = db.query.selectFrom('nodes').select(columns as (keyof Schema['nodes'])[]);
      const query = paged(select.where(matching(filter)), 'nodes', column, page, marker);
      return (await query.execute()).map((row) => decodeShown(row as unknown as ShownRow));
    },

    shards: () =>
      db.query
        .selectFrom('nodes')
        .select((eb) => ['shard as name', eb.fn.countAll<number>().as('count')])
        .groupBy('shard')
        .orderBy('count', 'desc')
        .orderBy('shard')
        .execute(),

    async findByMacs(macs: readonly Mac[]) {
      if (macs.length === 0) return [];
      const addresses = Object.fromEntries(macs.map((mac, index) => [`mac${index}`, mac]));
      const { rows } = await findByAddresses(db, Object.keys(addresses), addresses);
      // Sorted here because SQLite would use a temporary table; nearly always there is one row.
      return rows.map((row) => whole(db, row)).sort((a, b) => a.id - b.id);
    },
  };
}

function agentSessions(db: Database): Pick<NodeStore, 'openSession' | 'heartbeat'> {
  return {
    openSession: (uuid, { token, certificate }, now) =>
      db.atomic(async (within) => {
        const { numAffectedRows } = await openSession(within, {
          uuid,
          ca: certificate,
          proven: certificate === null ? 0 : 1,
          at: now.getTime(),
        });
        if (numAffectedRows === 0n) return false;
        const place = secretPlace('node', uuid, '/agentToken');
        await keepToken(within, { uuid, token: secretText(within, place, token) });
        return true;
      }),

    async heartbeat(uuid, session, now) {
      const { numAffectedRows } = await storeHeartbeat(db, {
        uuid,
        url: session.url,
        version: session.version,
        ca: session.verifyCa,
        at: (session.lastHeartbeatAt ?? now).getTime(),
      });
      if (numAffectedRows !== 0n) return;
      if ((await find(db, uuid)) === undefined) throw notFound('Node', uuid);
      throw new IngotError(
        'invalidState',
        `Node ${uuid} has no agent session: the agent must look itself up before it sends heartbeats.`,
      );
    },
  };
}

function holds(db: Database): Pick<NodeStore, 'hold' | 'release' | 'releaseAll'> {
  return {
    async hold(uuid, holder) {
      const { numAffectedRows } = await hold(db, {
        uuid,
        owner: holder.owner,
        purpose: holder.purpose,
        since: holder.since.getTime(),
        deadline: holder.deadline.getTime(),
      });
      return numAffectedRows === 1n;
    },

    async release(uuid, owner) {
      await release(db, { uuid, owner });
    },

    async releaseAll(owner) {
      const rows = await db.query
        .updateTable('nodes')
        .set(FREE)
        .where('holder_owner', '=', owner)
        .returning('uuid')
        .execute();
      return rows.map((row) => row.uuid ?? '');
    },
  };
}

/** Ironic's error texts for a value that another node has. */
function taken(uuid: string, patch: NodePatch) {
  const texts: Readonly<Record<string, string>> = {
    'nodes.uuid': `A node with UUID ${uuid} already exists.`,
    'nodes.name': `A node with name ${patch.name} already exists.`,
    'nodes.instance_uuid': `Instance ${patch.instanceUuid} is already associated with a node, it cannot be associated with this other node ${uuid}.`,
  };
  return ({ kind, column }: BrokenConstraint) => {
    if (kind === 'foreign key')
      return new IngotError('conflict', `The parent node or the chassis that node ${uuid} names is gone.`);
    return texts[column] === undefined ? undefined : new IngotError('conflict', texts[column]);
  };
}

/** Only child nodes prevent a deletion: in other tables, the foreign key deletes the record or becomes NULL. */
const hasChildren =
  (uuid: string) =>
  ({ kind }: BrokenConstraint) =>
    kind === 'foreign key'
      ? new IngotError(
          'conflict',
          `Node ${uuid} has child nodes: delete them first, or take away their "parent_node".`,
        )
      : undefined;
