/**
 * Ids of the keys that encrypt secrets. The first start after this migration encrypts the secrets that are there, see
 * stored-keys.ts.
 */
import type { Kysely } from 'kysely';

export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('secret_keys')
    .addColumn('id', 'text', (c) => c.primaryKey())
    .addColumn('proof', 'text', (c) => c.notNull())
    .addColumn('is_scrubbed', 'integer', (c) => c.notNull())
    .execute();
}
