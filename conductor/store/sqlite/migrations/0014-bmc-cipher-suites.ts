/** The strongest IPMI cipher suite of each BMC, so that nobody can make the conductor use a weaker one. */
import type { Kysely } from 'kysely';

export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('bmc_cipher_suites')
    .addColumn('endpoint', 'text', (c) => c.primaryKey())
    .addColumn('suite', 'integer', (c) => c.notNull())
    .execute();
}
