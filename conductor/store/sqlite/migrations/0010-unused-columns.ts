/** Drops `preserves_ephemeral`, which nothing read: images are written to whole disks. */
import type { Kysely } from 'kysely';

export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema.alterTable('servers').dropColumn('preserves_ephemeral').execute();
}
