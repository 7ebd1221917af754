/** Chassis, port groups, deploy templates, allocations and volumes, and the columns of nodes and ports for them. */
import type { CreateTableBuilder, Kysely } from 'kysely';
import { sql } from 'kysely';

type AnySchema = Kysely<unknown>;

/** Columns that every resource has. */
const resource = (
  db: AnySchema,
  table: string,
): CreateTableBuilder<string, 'id' | 'uuid' | 'created_at' | 'updated_at' | 'extra'> =>
  db.schema
    .createTable(table)
    .addColumn('id', 'integer', (c) => c.primaryKey().autoIncrement())
    .addColumn('uuid', 'text', (c) => c.notNull().unique())
    .addColumn('created_at', 'integer', (c) => c.notNull())
    .addColumn('updated_at', 'integer')
    .addColumn('extra', 'text', (c) => c.notNull().defaultTo('{}'));

export async function up(db: AnySchema): Promise<void> {
  await resource(db, 'chassis').addColumn('description', 'text').execute();

  await resource(db, 'portgroups')
    .addColumn('node_uuid', 'text', (c) => c.notNull().references('nodes.uuid').onDelete('cascade'))
    .addColumn('name', 'text', (c) => c.unique())
    .addColumn('address', 'text', (c) => c.unique())
    .addColumn('mode', 'text', (c) => c.notNull().defaultTo('active-backup'))
    .addColumn('properties', 'text', (c) => c.notNull().defaultTo('{}'))
    .addColumn('standalone_ports_supported', 'integer', (c) => c.notNull().defaultTo(1))
    .addColumn('internal_info', 'text', (c) => c.notNull().defaultTo('{}'))
    .execute();
  await db.schema.createIndex('portgroups_node').on('portgroups').columns(['node_uuid', 'id']).execute();

  await resource(db, 'deploy_templates')
    .addColumn('name', 'text', (c) => c.notNull().unique())
    .addColumn('steps', 'text', (c) => c.notNull())
    .execute();

  await resource(db, 'allocations')
    .addColumn('name', 'text', (c) => c.unique())
    .addColumn('node_uuid', 'text', (c) => c.unique().references('nodes.uuid').onDelete('set null'))
    .addColumn('state', 'text', (c) => c.notNull())
    .addColumn('last_error', 'text')
    .addColumn('resource_class', 'text')
    .addColumn('traits', 'text', (c) => c.notNull().defaultTo('[]'))
    .addColumn('candidate_nodes', 'text', (c) => c.notNull().defaultTo('[]'))
    .addColumn('owner', 'text')
    .execute();
  await db.schema.createIndex('allocations_state').on('allocations').columns(['state', 'id']).execute();

  await resource(db, 'volume_connectors')
    .addColumn('node_uuid', 'text', (c) => c.notNull().references('nodes.uuid').onDelete('cascade'))
    .addColumn('type', 'text', (c) => c.notNull())
    .addColumn('connector_id', 'text', (c) => c.notNull())
    .addUniqueConstraint('volume_connectors_named', ['type', 'connector_id'])
    .execute();
  await db.schema
    .createIndex('volume_connectors_node')
    .on('volume_connectors')
    .columns(['node_uuid', 'id'])
    .execute();

  await resource(db, 'volume_targets')
    .addColumn('node_uuid', 'text', (c) => c.notNull().references('nodes.uuid').onDelete('cascade'))
    .addColumn('volume_type', 'text', (c) => c.notNull())
    .addColumn('volume_id', 'text', (c) => c.notNull())
    .addColumn('boot_index', 'integer', (c) => c.notNull())
    .addColumn('properties', 'text', (c) => c.notNull().defaultTo('{}'))
    .addUniqueConstraint('volume_targets_booted', ['node_uuid', 'boot_index'])
    .execute();

  const nodes = (
    name: string,
    type: 'text',
    build: Parameters<ReturnType<AnySchema['schema']['alterTable']>['addColumn']>[2],
  ) => db.schema.alterTable('nodes').addColumn(name, type, build).execute();
  await nodes('chassis_uuid', 'text', (c) => c.references('chassis.uuid'));
  await nodes('allocation_uuid', 'text', (c) => c.references('allocations.uuid').onDelete('set null'));
  await nodes('raid_config', 'text', (c) => c.notNull().defaultTo('{}'));
  await nodes('target_raid_config', 'text', (c) => c.notNull().defaultTo('{}'));
  await db.schema
    .alterTable('ports')
    .addColumn('portgroup_uuid', 'text', (c) => c.references('portgroups.uuid'))
    .execute();
  await sql`create index nodes_chassis on nodes (chassis_uuid) where chassis_uuid is not null`.execute(db);
  await sql`create index ports_portgroup on ports (portgroup_uuid) where portgroup_uuid is not null`.execute(
    db,
  );
}
