/** Addresses that a machine declined because another machine uses them, and the time until they are offered again. */
import type { Kysely } from 'kysely';

export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('declined_addresses')
    .addColumn('address', 'text', (c) => c.primaryKey())
    .addColumn('until', 'integer', (c) => c.notNull())
    .execute();
}
