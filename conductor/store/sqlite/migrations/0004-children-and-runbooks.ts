/** Additions of the API since 1.83: child nodes, port names, nodes that stay powered on, runbooks. */
import type { Kysely } from 'kysely';
import { sql } from 'kysely';

export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .alterTable('nodes')
    .addColumn('parent_node', 'text', (c) => c.references('nodes.uuid'))
    .execute();
  await sql`create index nodes_parent on nodes (parent_node) where parent_node is not null`.execute(db);
  await db.schema
    .alterTable('nodes')
    .addColumn('disable_power_off', 'integer', (c) => c.notNull().defaultTo(0))
    .execute();
  // NULLs are distinct in a unique index, so any number of ports may have no name
  await db.schema.createIndex('ports_name').on('ports').column('name').unique().execute();

  await db.schema
    .createTable('runbooks')
    .addColumn('id', 'integer', (c) => c.primaryKey().autoIncrement())
    .addColumn('uuid', 'text', (c) => c.notNull().unique())
    .addColumn('created_at', 'integer', (c) => c.notNull())
    .addColumn('updated_at', 'integer')
    .addColumn('name', 'text', (c) => c.notNull().unique())
    .addColumn('steps', 'text', (c) => c.notNull())
    .addColumn('disable_ramdisk', 'integer', (c) => c.notNull().defaultTo(0))
    .addColumn('public', 'integer', (c) => c.notNull().defaultTo(0))
    .addColumn('owner', 'text')
    .addColumn('extra', 'text', (c) => c.notNull().defaultTo('{}'))
    .execute();
}
