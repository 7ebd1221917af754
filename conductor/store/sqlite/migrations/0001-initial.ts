/** The first schema: nodes and the records that belong to them, leases, and a table of secrets. */
import type { Kysely } from 'kysely';
import { sql } from 'kysely';

type AnySchema = Kysely<unknown>;

/** Columns with an index for lists that are filtered by the column and paged by id. */
const NODE_LISTS = [
  'provision_state',
  'driver',
  'resource_class',
  'conductor_group',
  'owner',
  'lessee',
  'shard',
  'fault',
] as const;

export async function up(db: AnySchema): Promise<void> {
  await nodes(db);
  await ports(db);
  await operations(db);
  await history(db);
  await sightings(db);
  await inventory(db);
  await leases(db);
  await secrets(db);
}

async function nodes(db: AnySchema): Promise<void> {
  await db.schema
    .createTable('nodes')
    .addColumn('id', 'integer', (c) => c.primaryKey().autoIncrement())
    .addColumn('uuid', 'text', (c) => c.notNull().unique())
    .addColumn('name', 'text', (c) => c.unique())
    .addColumn('driver', 'text', (c) => c.notNull())
    .addColumn('provision_state', 'text', (c) => c.notNull())
    .addColumn('target_provision_state', 'text')
    .addColumn('provision_updated_at', 'integer')
    .addColumn('power_state', 'text')
    .addColumn('target_power_state', 'text')
    .addColumn('holder_owner', 'text')
    .addColumn('holder_purpose', 'text')
    .addColumn('holder_since', 'integer')
    .addColumn('holder_deadline', 'integer')
    .addColumn('agent_present', 'integer', (c) => c.notNull().defaultTo(0))
    .addColumn('agent_url', 'text')
    .addColumn('agent_token', 'text')
    .addColumn('agent_version', 'text')
    .addColumn('agent_verify_ca', 'text')
    .addColumn('agent_last_heartbeat_at', 'integer')
    .addColumn('maintenance', 'integer', (c) => c.notNull().defaultTo(0))
    .addColumn('maintenance_reason', 'text')
    .addColumn('fault', 'text')
    .addColumn('last_error', 'text')
    .addColumn('instance_uuid', 'text', (c) => c.unique())
    .addColumn('resource_class', 'text')
    .addColumn('conductor_group', 'text', (c) => c.notNull().defaultTo(''))
    .addColumn('owner', 'text')
    .addColumn('lessee', 'text')
    .addColumn('shard', 'text')
    .addColumn('description', 'text')
    .addColumn('protected', 'integer', (c) => c.notNull().defaultTo(0))
    .addColumn('protected_reason', 'text')
    .addColumn('retired', 'integer', (c) => c.notNull().defaultTo(0))
    .addColumn('retired_reason', 'text')
    .addColumn('automated_clean', 'integer')
    .addColumn('console_enabled', 'integer', (c) => c.notNull().defaultTo(0))
    .addColumn('boot_mode', 'text')
    .addColumn('secure_boot', 'integer')
    .addColumn('inspection_started_at', 'integer')
    .addColumn('inspection_finished_at', 'integer')
    .addColumn('interfaces', 'text', (c) => c.notNull())
    .addColumn('traits', 'text', (c) => c.notNull().defaultTo('[]'))
    .addColumn('boot_target', 'text')
    .addColumn('current_step', 'text')
    .addColumn('driver_info', 'text', (c) => c.notNull().defaultTo('{}'))
    .addColumn('instance_info', 'text', (c) => c.notNull().defaultTo('{}'))
    .addColumn('properties', 'text', (c) => c.notNull().defaultTo('{}'))
    .addColumn('extra', 'text', (c) => c.notNull().defaultTo('{}'))
    .addColumn('network_data', 'text', (c) => c.notNull().defaultTo('{}'))
    .addColumn('driver_internal_info', 'text', (c) => c.notNull().defaultTo('{}'))
    .addColumn('created_at', 'integer', (c) => c.notNull())
    .addColumn('updated_at', 'integer')
    .execute();
  for (const column of NODE_LISTS) {
    await db.schema.createIndex(`nodes_${column}`).on('nodes').columns([column, 'id']).execute();
  }
  await sql`create index nodes_maintenance on nodes (id) where maintenance = 1`.execute(db);
  await sql`create index nodes_held on nodes (holder_owner) where holder_owner is not null`.execute(db);
}

async function ports(db: AnySchema): Promise<void> {
  await db.schema
    .createTable('ports')
    .addColumn('id', 'integer', (c) => c.primaryKey().autoIncrement())
    .addColumn('uuid', 'text', (c) => c.notNull().unique())
    .addColumn('node_uuid', 'text', (c) => c.notNull().references('nodes.uuid').onDelete('cascade'))
    .addColumn('address', 'text', (c) => c.notNull().unique())
    .addColumn('name', 'text')
    .addColumn('pxe_enabled', 'integer', (c) => c.notNull().defaultTo(1))
    .addColumn('local_link_connection', 'text', (c) => c.notNull().defaultTo('{}'))
    .addColumn('physical_network', 'text')
    .addColumn('is_smartnic', 'integer', (c) => c.notNull().defaultTo(0))
    .addColumn('extra', 'text', (c) => c.notNull().defaultTo('{}'))
    .addColumn('internal_info', 'text', (c) => c.notNull().defaultTo('{}'))
    .addColumn('created_at', 'integer', (c) => c.notNull())
    .addColumn('updated_at', 'integer')
    .execute();
  await db.schema.createIndex('ports_node').on('ports').columns(['node_uuid', 'id']).execute();
}

async function operations(db: AnySchema): Promise<void> {
  await db.schema
    .createTable('operations')
    .addColumn('id', 'integer', (c) => c.primaryKey().autoIncrement())
    .addColumn('node_uuid', 'text', (c) => c.notNull().references('nodes.uuid').onDelete('cascade'))
    .addColumn('kind', 'text', (c) => c.notNull())
    .addColumn('args', 'text', (c) => c.notNull())
    .addColumn('state', 'text', (c) => c.notNull())
    .addColumn('cursor', 'integer', (c) => c.notNull())
    .addColumn('steps', 'text', (c) => c.notNull())
    .addColumn('waiting_for', 'text')
    .addColumn('deadline', 'integer')
    .addColumn('wake_at', 'integer')
    .addColumn('abort_requested', 'integer', (c) => c.notNull().defaultTo(0))
    .addColumn('error', 'text')
    .addColumn('started_at', 'integer', (c) => c.notNull())
    .addColumn('finished_at', 'integer')
    .execute();
  await db.schema.createIndex('operations_node').on('operations').columns(['node_uuid', 'id']).execute();
  // This index also guarantees that a node has at most one unfinished operation.
  await sql`create unique index operations_current on operations (node_uuid)
    where state in ('running', 'waiting')`.execute(db);
}

async function history(db: AnySchema): Promise<void> {
  await db.schema
    .createTable('history')
    .addColumn('id', 'integer', (c) => c.primaryKey().autoIncrement())
    .addColumn('uuid', 'text', (c) => c.notNull().unique())
    .addColumn('node_uuid', 'text', (c) => c.notNull().references('nodes.uuid').onDelete('cascade'))
    .addColumn('created_at', 'integer', (c) => c.notNull())
    .addColumn('severity', 'text', (c) => c.notNull())
    .addColumn('event_type', 'text', (c) => c.notNull())
    .addColumn('event', 'text', (c) => c.notNull())
    .addColumn('conductor', 'text', (c) => c.notNull())
    .addColumn('user', 'text')
    .execute();
  await db.schema.createIndex('history_node').on('history').columns(['node_uuid', 'id']).execute();
}

async function sightings(db: AnySchema): Promise<void> {
  await db.schema
    .createTable('sightings')
    .addColumn('id', 'integer', (c) => c.primaryKey().autoIncrement())
    .addColumn('kind', 'text', (c) => c.notNull())
    .addColumn('at', 'integer', (c) => c.notNull())
    .addColumn('mac', 'text')
    .addColumn('node_uuid', 'text', (c) => c.references('nodes.uuid').onDelete('cascade'))
    .addColumn('bytes', 'integer')
    .addColumn('detail', 'text')
    .execute();
  await db.schema.createIndex('sightings_mac').on('sightings').columns(['mac', 'id']).execute();
  await db.schema.createIndex('sightings_node').on('sightings').columns(['node_uuid', 'id']).execute();
  await sql`create index sightings_unknown on sightings (id) where node_uuid is null`.execute(db);
}

async function inventory(db: AnySchema): Promise<void> {
  await db.schema
    .createTable('inventory')
    .addColumn('node_uuid', 'text', (c) => c.primaryKey().references('nodes.uuid').onDelete('cascade'))
    .addColumn('inventory', 'text', (c) => c.notNull())
    .addColumn('plugin_data', 'text', (c) => c.notNull())
    .addColumn('updated_at', 'integer', (c) => c.notNull())
    .execute();
}

async function leases(db: AnySchema): Promise<void> {
  await db.schema
    .createTable('leases')
    .addColumn('mac', 'text', (c) => c.primaryKey())
    .addColumn('address', 'text', (c) => c.notNull().unique())
    .addColumn('expires_at', 'integer', (c) => c.notNull())
    .execute();
}

async function secrets(db: AnySchema): Promise<void> {
  await db.schema
    .createTable('secrets')
    .addColumn('node_uuid', 'text', (c) => c.references('nodes.uuid').onDelete('cascade'))
    .addColumn('operation_id', 'integer', (c) => c.references('operations.id').onDelete('cascade'))
    .addColumn('pointer', 'text', (c) => c.notNull())
    .addColumn('value', 'text', (c) => c.notNull())
    .addCheckConstraint('secrets_one_owner', sql`(node_uuid is null) <> (operation_id is null)`)
    .execute();
  await sql`create unique index secrets_of_node on secrets (node_uuid, pointer)
    where node_uuid is not null`.execute(db);
  await sql`create unique index secrets_of_operation on secrets (operation_id, pointer)
    where operation_id is not null`.execute(db);
}
