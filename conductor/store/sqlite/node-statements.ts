/**
 * Statements on nodes. They are built once because a conductor runs them all the time.
 */
import type { Insertable, Updateable } from 'kysely';
import { MASK } from '../../domain/secrets.ts';
import type { Database } from './database.ts';
import { prepared, preparedFor, secretsOf } from './database.ts';
import type { Stored } from './row-codec.ts';
import type { Schema } from './schema.ts';

export type Values = Record<string, Stored>;

export const selectNodes = (db: Database) =>
  db.query.selectFrom('nodes').selectAll().select(secretsOf(db, 'node'));

const named = (db: Database, { ident }: { ident: string }) =>
  selectNodes(db).where((eb) => eb.or([eb('uuid', '=', ident), eb('name', '=', ident)]));
export const findOne = prepared(named);
export const peekOne = prepared(named, { early: true });

export const insertOne = preparedFor((db, placeholders: Values, columns) =>
  db.query
    .insertInto('nodes')
    .values(
      Object.fromEntries(columns.map((column) => [column, placeholders[column]])) as Insertable<
        Schema['nodes']
      >,
    )
    .returningAll(),
);

/** Returns the changed row with the secrets from before the change. */
export const updateOne = preparedFor((db, placeholders: Values & { $uuid: string }, columns) =>
  db.query
    .updateTable('nodes')
    .set(
      Object.fromEntries(columns.map((column) => [column, placeholders[column]])) as Updateable<
        Schema['nodes']
      >,
    )
    .where('uuid', '=', placeholders.$uuid)
    .returningAll()
    .returning(secretsOf(db, 'node')),
);

export const findByAddresses = preparedFor((db, placeholders: Values, names) =>
  selectNodes(db).where(
    'uuid',
    'in',
    db.query
      .selectFrom('ports')
      .select('node_uuid')
      .where(
        'address',
        'in',
        names.map((name) => placeholders[name] as string),
      ),
  ),
);

/** Changes no row if the node has a token, so only one of two concurrent callers succeeds. */
export const openSession = prepared(
  (db, placeholders: { uuid: string; ca: string | null; proven: number; at: number }) =>
    db.query
      .updateTable('nodes')
      .set({
        agent_present: 1,
        agent_url: null,
        agent_token: MASK,
        agent_version: null,
        agent_verify_ca: placeholders.ca,
        agent_proven: placeholders.proven,
        agent_last_heartbeat_at: null,
        updated_at: placeholders.at,
      })
      .where('uuid', '=', placeholders.uuid)
      .where('agent_token', 'is', null),
);

export const keepToken = prepared((db, placeholders: { uuid: string; token: string }) =>
  db.query
    .insertInto('secrets')
    .values({ node_uuid: placeholders.uuid, pointer: '/agentToken', value: placeholders.token })
    .onConflict((conflict) =>
      conflict
        .columns(['node_uuid', 'pointer'])
        .where('node_uuid', 'is not', null)
        .doUpdateSet({ value: placeholders.token }),
    ),
);

/** Changes no row without a session: a late heartbeat must not restore a session that a power-off has ended. */
export const storeHeartbeat = prepared(
  (
    db,
    placeholders: {
      uuid: string;
      url: string | null;
      version: string | null;
      ca: string | null;
      at: number | null;
    },
  ) =>
    db.query
      .updateTable('nodes')
      .set({
        agent_url: placeholders.url,
        agent_version: placeholders.version,
        agent_verify_ca: placeholders.ca,
        agent_last_heartbeat_at: placeholders.at,
      })
      .where('uuid', '=', placeholders.uuid)
      .where('agent_present', '=', 1),
);

export const hold = prepared(
  (db, placeholders: { uuid: string; owner: string; purpose: string; since: number; deadline: number }) =>
    db.query
      .updateTable('nodes')
      .set({
        holder_owner: placeholders.owner,
        holder_purpose: placeholders.purpose,
        holder_since: placeholders.since,
        holder_deadline: placeholders.deadline,
      })
      .where('uuid', '=', placeholders.uuid)
      .where((eb) =>
        eb.or([
          eb('holder_owner', 'is', null),
          eb.and([
            eb('holder_owner', '=', placeholders.owner),
            eb('holder_deadline', '<', placeholders.since),
          ]),
        ]),
      ),
);

export const FREE = { holder_owner: null, holder_purpose: null, holder_since: null, holder_deadline: null };

export const release = prepared((db, placeholders: { uuid: string; owner: string }) =>
  db.query
    .updateTable('nodes')
    .set(FREE)
    .where('uuid', '=', placeholders.uuid)
    .where('holder_owner', '=', placeholders.owner),
);

const addressesOf = (db: Database, uuid: string) =>
  db.query.selectFrom('ports').select('address').where('node_uuid', '=', uuid);

/** Leases and sightings can exist before their node, so some refer only to a MAC address. */
export const deleteLeases = prepared((db, { uuid }: { uuid: string }) =>
  db.query.deleteFrom('leases').where('mac', 'in', addressesOf(db, uuid)),
);
export const deleteSightings = prepared((db, { uuid }: { uuid: string }) =>
  db.query.deleteFrom('sightings').where('mac', 'in', addressesOf(db, uuid)),
);
export const deleteOne = prepared((db, { uuid }: { uuid: string }) =>
  db.query.deleteFrom('nodes').where('uuid', '=', uuid),
);
