/**
 * Nodes: one row each, secrets apart. Taking and releasing a node and storing a heartbeat are single
 * statements built once: they are what a conductor does all day.
 */
import type { Insertable, Updateable } from 'kysely';
import { sql } from 'kysely';
import type { Mac } from '../domain/boot.ts';
import { IngotError } from '../domain/errors.ts';
import type { AgentSession, Holder, NewNode, Node, NodePatch } from '../domain/node.ts';
import type { NodeStore, Page } from '../domain/store.ts';
import type { Database } from './database.ts';
import { explaining, prepared, readSecrets, secretsOf, writeSecrets } from './database.ts';
import { matching } from './node-filter.ts';
import type { Marker } from './paging.ts';
import { paged, sortColumn } from './paging.ts';
import { createCodec } from './row-codec.ts';
import type { Prefixed, Schema } from './schema.ts';
import { AGENT_COLUMNS, HOLDER_COLUMNS, NODE_COLUMNS } from './schema.ts';
import type { SecretValues } from './seal.ts';
import { mergeChanges } from './seal.ts';
import type { BrokenConstraint } from './sqlite.ts';

interface Row {
  readonly secrets: string | null;
  readonly agent_present: number | null;
  readonly holder_owner: string | null;
}

const codec = createCodec<typeof NODE_COLUMNS, Omit<Node, 'agent' | 'holder'>>(NODE_COLUMNS);
const agentCodec = createCodec<typeof AGENT_COLUMNS, Prefixed<'agent', AgentSession>>(AGENT_COLUMNS);
const holderCodec = createCodec<typeof HOLDER_COLUMNS, Prefixed<'holder', Holder>>(HOLDER_COLUMNS);

const selectNodes = (db: Database) => db.query.selectFrom('nodes').selectAll().select(secretsOf(db, 'node'));

const findOne = prepared((db, slots: { ident: string }) =>
  selectNodes(db).where((eb) => eb.or([eb('uuid', '=', slots.ident), eb('name', '=', slots.ident)])),
);

/** Only where there is a session: a late heartbeat must not bring back one that a power-off has ended. */
const storeHeartbeat = prepared(
  (
    db,
    slots: { uuid: string; url: string | null; version: string | null; ca: string | null; at: number | null },
  ) =>
    db.query
      .updateTable('nodes')
      .set({
        agent_url: slots.url,
        agent_version: slots.version,
        agent_verify_ca: slots.ca,
        agent_last_heartbeat_at: slots.at,
      })
      .where('uuid', '=', slots.uuid)
      .where('agent_present', '=', 1),
);

const hold = prepared(
  (db, slots: { uuid: string; owner: string; purpose: string; since: number; deadline: number }) =>
    db.query
      .updateTable('nodes')
      .set({
        holder_owner: slots.owner,
        holder_purpose: slots.purpose,
        holder_since: slots.since,
        holder_deadline: slots.deadline,
      })
      .where('uuid', '=', slots.uuid)
      .where((eb) =>
        eb.or([
          eb('holder_owner', 'is', null),
          eb.and([eb('holder_owner', '=', slots.owner), eb('holder_deadline', '<', slots.since)]),
        ]),
      ),
);

const FREE = { holder_owner: null, holder_purpose: null, holder_since: null, holder_deadline: null };

const release = prepared((db, slots: { uuid: string; owner: string }) =>
  db.query
    .updateTable('nodes')
    .set(FREE)
    .where('uuid', '=', slots.uuid)
    .where('holder_owner', '=', slots.owner),
);

export function createNodeStore(db: Database): NodeStore {
  async function find(within: Database, ident: string): Promise<Node | undefined> {
    const { rows } = await findOne(within, { ident });
    return rows[0] && decode(rows[0]);
  }

  async function markerOf(page: Page, column: string): Promise<Marker | undefined> {
    if (page.marker === undefined) return undefined;
    const row = await db.query
      .selectFrom('nodes')
      .select(['id', sql.ref<string | number | null>(column).as('value')])
      .where('uuid', '=', page.marker)
      .executeTakeFirst();
    if (row === undefined) throw noNode(page.marker);
    return { id: row.id ?? 0, value: row.value };
  }

  return {
    create: (node, now) =>
      explaining(db, taken(node.uuid, node), () =>
        db.atomic(async (within) => {
          const { values, secrets } = encode(node, { createdAt: now });
          await within.query
            .insertInto('nodes')
            .values(values as Insertable<Schema['nodes']>)
            .execute();
          await writeSecrets(within, 'node', node.uuid, secrets);
          return (await find(within, node.uuid))!;
        }),
      ),

    find: (ident) => find(db, ident),

    shards: () =>
      db.query
        .selectFrom('nodes')
        .select((eb) => ['shard as name', eb.fn.countAll<number>().as('count')])
        .groupBy('shard')
        .orderBy('count', 'desc')
        .orderBy('shard')
        .execute(),

    async list(filter, page) {
      const column = sortColumn(codec, page);
      const marker = await markerOf(page, column);
      const query = paged(selectNodes(db).where(matching(filter)), 'nodes', column, page, marker);
      return (await query.execute()).map(decode);
    },

    update: (uuid, patch, now) =>
      explaining(db, taken(uuid, patch), async () => {
        const { values, secrets } = encode(patch, { updatedAt: now });
        const change = (within: Database) =>
          within.query
            .updateTable('nodes')
            .set(values as Updateable<Schema['nodes']>)
            .where('uuid', '=', uuid);
        if (secrets.fields.length === 0) {
          const row = await change(db).returningAll().returning(secretsOf(db, 'node')).executeTakeFirst();
          if (row === undefined) throw noNode(uuid);
          return decode(row);
        }
        return db.atomic(async (within) => {
          const { numUpdatedRows } = await change(within).executeTakeFirst();
          if (numUpdatedRows === 0n) throw noNode(uuid);
          await writeSecrets(within, 'node', uuid, secrets);
          return (await find(within, uuid))!;
        });
      }),

    delete: (uuid) =>
      db.atomic(async ({ query }) => {
        const macs = query.selectFrom('ports').select('address').where('node_uuid', '=', uuid);
        await query.deleteFrom('leases').where('mac', 'in', macs).execute();
        await query.deleteFrom('sightings').where('mac', 'in', macs).execute();
        // Ports, operations, history, inventory, the other sightings and secrets follow by foreign key.
        const { numDeletedRows } = await query
          .deleteFrom('nodes')
          .where('uuid', '=', uuid)
          .executeTakeFirst();
        if (numDeletedRows === 0n) throw noNode(uuid);
      }),

    async findByMacs(macs: readonly Mac[]) {
      if (macs.length === 0) return [];
      const owners = db.query.selectFrom('ports').select('node_uuid').where('address', 'in', macs);
      return (await selectNodes(db).where('uuid', 'in', owners).orderBy('id').execute()).map(decode);
    },

    async heartbeat(uuid, session, now) {
      const { numAffectedRows } = await storeHeartbeat(db, {
        uuid,
        url: session.url,
        version: session.version,
        ca: session.verifyCa,
        at: (session.lastHeartbeatAt ?? now).getTime(),
      });
      if (numAffectedRows !== 0n) return;
      if ((await find(db, uuid)) === undefined) throw noNode(uuid);
      throw new IngotError(
        'invalidState',
        `Node ${uuid} has no agent session: the agent must look itself up before it sends heartbeats.`,
      );
    },

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

function encode(
  { agent, ...rest }: NodePatch | NewNode,
  times: Partial<Pick<Node, 'createdAt' | 'updatedAt'>>,
) {
  const node = codec.encode({ ...rest, ...times });
  if (agent === undefined) return node;
  const session = agentCodec.encode({
    agentPresent: agent !== null,
    agentUrl: agent?.url ?? null,
    agentToken: agent?.token ?? null,
    agentVersion: agent?.version ?? null,
    agentVerifyCa: agent?.verifyCa ?? null,
    agentLastHeartbeatAt: agent?.lastHeartbeatAt ?? null,
  });
  return {
    values: { ...node.values, ...session.values },
    secrets: mergeChanges(node.secrets, session.secrets),
  };
}

function decode(row: Row): Node {
  const secrets = readSecrets(row.secrets);
  return { ...codec.decode(row, secrets), agent: agentOf(row, secrets), holder: holderOf(row) };
}

function agentOf(row: Row, secrets: SecretValues | undefined): AgentSession | null {
  if (row.agent_present !== 1) return null;
  const agent = agentCodec.decode(row, secrets);
  return {
    url: agent.agentUrl,
    token: agent.agentToken,
    version: agent.agentVersion,
    verifyCa: agent.agentVerifyCa,
    lastHeartbeatAt: agent.agentLastHeartbeatAt,
  };
}

function holderOf(row: Row): Holder | null {
  if (row.holder_owner === null) return null;
  const holder = holderCodec.decode(row);
  return {
    owner: holder.holderOwner,
    purpose: holder.holderPurpose,
    since: holder.holderSince,
    deadline: holder.holderDeadline,
  };
}

function noNode(uuid: string): IngotError {
  return new IngotError('notFound', `Node ${uuid} could not be found.`);
}

/** Ironic's words for a value that another node has. */
function taken(uuid: string, patch: NodePatch) {
  const texts: Readonly<Record<string, string>> = {
    'nodes.uuid': `A node with UUID ${uuid} already exists.`,
    'nodes.name': `A node with name ${patch.name} already exists.`,
    'nodes.instance_uuid': `Instance ${patch.instanceUuid} is already associated with a node, it cannot be associated with this other node ${uuid}.`,
  };
  return ({ column }: BrokenConstraint) =>
    texts[column] === undefined ? undefined : new IngotError('conflict', texts[column]);
}
