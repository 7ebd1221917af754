/** Addresses that a machine found in use by another, and until when they are not given. */
import type { Kysely } from 'kysely';

export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('declined_addresses')
    .addColumn('address', 'text', (c) => c.primaryKey())
    .addColumn('until', 'integer', (c) => c.notNull())
    .execute();
}
