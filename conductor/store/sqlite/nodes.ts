/**
 * Nodes: one row each, secrets apart. Taking and releasing a node and storing a heartbeat are single
 * statements built once: they are what a conductor does all day.
 */
import type { Insertable, Updateable } from 'kysely';
import { sql } from 'kysely';
import type { Mac } from '../../domain/boot.ts';
import { IngotError, notFound } from '../../domain/errors.ts';
import type { AgentSession, Holder, NewNode, Node, NodePatch } from '../../domain/node.ts';
import { MASK } from '../../domain/secrets.ts';
import type { NodeFilter, NodeStore } from '../../domain/store/nodes.ts';
import type { Rows } from '../../domain/store/page.ts';
import type { Database } from './database.ts';
import { explaining, prepared, preparedFor, readSecrets, secretsOf, writeSecrets } from './database.ts';
import { matching } from './node-filter.ts';
import type { Marker } from './paging.ts';
import { paged, sortColumn } from './paging.ts';
import type { Stored } from './row-codec.ts';
import { createCodec, snakeCase } from './row-codec.ts';
import type { Prefixed, Schema } from './schema.ts';
import { AGENT_COLUMNS, HOLDER_COLUMNS, NODE_COLUMNS } from './schema.ts';
import type { SecretValues } from './seal.ts';
import { mergeChanges } from './seal.ts';
import type { BrokenConstraint } from './sqlite.ts';

interface Row extends ShownRow {
  readonly secrets: string | null;
}

interface ShownRow {
  readonly agent_present: number | null;
  readonly holder_owner: string | null;
}

type Values = Record<string, Stored>;

const codec = createCodec<typeof NODE_COLUMNS, Omit<Node, 'agent' | 'holder'>>(NODE_COLUMNS);
const agentCodec = createCodec<typeof AGENT_COLUMNS, Prefixed<'agent', AgentSession>>(AGENT_COLUMNS);
const holderCodec = createCodec<typeof HOLDER_COLUMNS, Prefixed<'holder', Holder>>(HOLDER_COLUMNS);

const selectNodes = (db: Database) => db.query.selectFrom('nodes').selectAll().select(secretsOf(db, 'node'));

const named = (db: Database, { ident }: { ident: string }) =>
  selectNodes(db).where((eb) => eb.or([eb('uuid', '=', ident), eb('name', '=', ident)]));
const findOne = prepared(named);
const peekOne = prepared(named, { early: true });

const insertOne = preparedFor((db, slots: Values, columns) =>
  db.query
    .insertInto('nodes')
    .values(
      Object.fromEntries(columns.map((column) => [column, slots[column]])) as Insertable<Schema['nodes']>,
    )
    .returningAll(),
);

/** The row after the change, with the secrets that it has had until now. */
const updateOne = preparedFor((db, slots: Values & { $uuid: string }, columns) =>
  db.query
    .updateTable('nodes')
    .set(Object.fromEntries(columns.map((column) => [column, slots[column]])) as Updateable<Schema['nodes']>)
    .where('uuid', '=', slots.$uuid)
    .returningAll()
    .returning(secretsOf(db, 'node')),
);

const findByAddresses = preparedFor((db, slots: Values, names) =>
  selectNodes(db).where(
    'uuid',
    'in',
    db.query
      .selectFrom('ports')
      .select('node_uuid')
      .where(
        'address',
        'in',
        names.map((name) => slots[name] as string),
      ),
  ),
);

/** Of two askers at once one is the first. */
const openSession = prepared((db, slots: { uuid: string; at: number }) =>
  db.query
    .updateTable('nodes')
    .set({
      agent_present: 1,
      agent_url: null,
      agent_token: MASK,
      agent_version: null,
      agent_verify_ca: null,
      agent_last_heartbeat_at: null,
      updated_at: slots.at,
    })
    .where('uuid', '=', slots.uuid)
    .where('agent_token', 'is', null),
);

const keepToken = prepared((db, slots: { uuid: string; token: string }) =>
  db.query
    .insertInto('secrets')
    .values({ node_uuid: slots.uuid, pointer: '/agentToken', value: slots.token })
    .onConflict((conflict) =>
      conflict
        .columns(['node_uuid', 'pointer'])
        .where('node_uuid', 'is not', null)
        .doUpdateSet({ value: slots.token }),
    ),
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

/** A reservation is known by its holder. */
const sortedBy = (page: Rows): string =>
  page.sortKey === 'reservation' ? 'holder_owner' : sortColumn(codec, page);

export function createNodeStore(db: Database): NodeStore {
  async function find(within: Database, ident: string): Promise<Node | undefined> {
    const { rows } = await findOne(within, { ident });
    return rows[0] && decode(rows[0], readSecrets(rows[0].secrets));
  }

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
      return decode(rows[0], readSecrets(rows[0].secrets));
    },

    shards: () =>
      db.query
        .selectFrom('nodes')
        .select((eb) => ['shard as name', eb.fn.countAll<number>().as('count')])
        .groupBy('shard')
        .orderBy('count', 'desc')
        .orderBy('shard')
        .execute(),

    async list(filter, page) {
      const column = sortedBy(page);
      const marker = await markerOf(page, column);
      const query = paged(selectNodes(db).where(matching(filter)), 'nodes', column, page, marker);
      return (await query.execute()).map((row) => decode(row, readSecrets(row.secrets)));
    },

    async listShown<F extends keyof Node>(filter: NodeFilter, page: Rows, fields: readonly F[]) {
      const column = sortedBy(page);
      const marker = await markerOf(page, column);
      const { columns, decode: decodeShown } = shownPart(fields);
      const select = db.query.selectFrom('nodes').select(columns as (keyof Schema['nodes'])[]);
      const query = paged(select.where(matching(filter)), 'nodes', column, page, marker);
      return (await query.execute()).map((row) => decodeShown(row as unknown as ShownRow));
    },

    update: (uuid, patch, now) =>
      explaining(db, taken(uuid, patch), async () => {
        const { values, secrets } = encode(patch, { updatedAt: now });
        const change = async (within: Database): Promise<Row> => {
          const { rows } = await updateOne(within, Object.keys(values), {
            ...(values as Values),
            $uuid: uuid,
          });
          if (rows[0] === undefined) throw notFound('Node', uuid);
          return rows[0];
        };
        if (secrets.fields.length === 0) {
          const row = await change(db);
          return decode(row, readSecrets(row.secrets));
        }
        return db.atomic(async (within) => {
          const row = await change(within);
          return decode(row, await writeSecrets(within, 'node', uuid, readSecrets(row.secrets), secrets));
        });
      }),

    delete: (uuid) =>
      explaining(db, hasChildren(uuid), () =>
        db.atomic(async ({ query }) => {
          const macs = query.selectFrom('ports').select('address').where('node_uuid', '=', uuid);
          await query.deleteFrom('leases').where('mac', 'in', macs).execute();
          await query.deleteFrom('sightings').where('mac', 'in', macs).execute();
          // Ports, operations, history, inventory, the other sightings and secrets follow by foreign key.
          const { numDeletedRows } = await query
            .deleteFrom('nodes')
            .where('uuid', '=', uuid)
            .executeTakeFirst();
          if (numDeletedRows === 0n) throw notFound('Node', uuid);
        }),
      ),

    async findByMacs(macs: readonly Mac[]) {
      if (macs.length === 0) return [];
      const addresses = Object.fromEntries(macs.map((mac, index) => [`mac${index}`, mac]));
      const { rows } = await findByAddresses(db, Object.keys(addresses), addresses);
      // SQLite would sort by a temporary table, where there is nearly always one row.
      return rows.map((row) => decode(row, readSecrets(row.secrets))).sort((a, b) => a.id - b.id);
    },

    openSession: (uuid, token, now) =>
      db.atomic(async (within) => {
        const { numAffectedRows } = await openSession(within, { uuid, at: now.getTime() });
        if (numAffectedRows === 0n) return false;
        await keepToken(within, { uuid, token: JSON.stringify(token) });
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

function decode(row: ShownRow, secrets: SecretValues | undefined): Node {
  return { ...codec.decode(row, secrets), agent: agentOf(row, secrets), holder: holderOf(row) };
}

const AGENT_FIELDS = Object.keys(AGENT_COLUMNS).map(snakeCase);
const HOLDER_FIELDS = Object.keys(HOLDER_COLUMNS).map(snakeCase);

/** What to read for these fields of a node, and how it is put together. */
function shownPart<F extends keyof Node>(fields: readonly F[]) {
  const names: readonly (keyof Node)[] = fields;
  const own = codec.part(names.filter((name) => name !== 'agent' && name !== 'holder'));
  const [agent, holder] = [names.includes('agent'), names.includes('holder')];
  return {
    columns: [...own.columns, ...(agent ? AGENT_FIELDS : []), ...(holder ? HOLDER_FIELDS : [])],
    decode(row: ShownRow): Pick<Node, F> {
      const node: Record<string, unknown> = own.decode(row);
      if (agent) node['agent'] = agentOf(row, undefined);
      if (holder) node['holder'] = holderOf(row);
      return node as Pick<Node, F>;
    },
  };
}

function agentOf(row: ShownRow, secrets: SecretValues | undefined): AgentSession | null {
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

function holderOf(row: ShownRow): Holder | null {
  if (row.holder_owner === null) return null;
  const holder = holderCodec.decode(row);
  return {
    owner: holder.holderOwner,
    purpose: holder.holderPurpose,
    since: holder.holderSince,
    deadline: holder.holderDeadline,
  };
}

/** Ironic's words for a value that another node has. */
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

/** All else that points at a node goes with it. */
const hasChildren =
  (uuid: string) =>
  ({ kind }: BrokenConstraint) =>
    kind === 'foreign key'
      ? new IngotError(
          'conflict',
          `Node ${uuid} has child nodes: delete them first, or take away their "parent_node".`,
        )
      : undefined;
