/** Inspection rules, and new columns of nodes, ports, port groups and runbooks. API 1.96 to 1.112. */
import type { Kysely } from 'kysely';
import { sql } from 'kysely';

const TEXTS = {
  nodes: ['instance_name', 'health'],
  ports: ['description', 'vendor', 'category'],
  portgroups: ['physical_network', 'category'],
  runbooks: ['description'],
} as const;
const FLAGS = [
  ['ports', 'available_for_dynamic_portgroup', 1],
  ['portgroups', 'dynamic_portgroup', 0],
] as const;

export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('inspection_rules')
    .addColumn('id', 'integer', (c) => c.primaryKey().autoIncrement())
    .addColumn('uuid', 'text', (c) => c.notNull().unique())
    .addColumn('created_at', 'integer', (c) => c.notNull())
    .addColumn('updated_at', 'integer')
    .addColumn('description', 'text')
    .addColumn('priority', 'integer', (c) => c.notNull().defaultTo(0))
    .addColumn('phase', 'text', (c) => c.notNull().defaultTo('main'))
    .addColumn('sensitive', 'integer', (c) => c.notNull().defaultTo(0))
    .addColumn('conditions', 'text', (c) => c.notNull().defaultTo('[]'))
    .addColumn('actions', 'text', (c) => c.notNull())
    .execute();

  for (const [table, columns] of Object.entries(TEXTS)) {
    for (const column of columns) await db.schema.alterTable(table).addColumn(column, 'text').execute();
  }
  for (const [table, column, value] of FLAGS) {
    await db.schema
      .alterTable(table)
      .addColumn(column, 'integer', (c) => c.notNull().defaultTo(value))
      .execute();
  }
  await db.schema
    .alterTable('runbooks')
    .addColumn('traits', 'text', (c) => c.notNull().defaultTo('[]'))
    .execute();
  // Before, the name of a runbook was its trait.
  await sql`update runbooks set traits = json_array(name)`.execute(db);
}
