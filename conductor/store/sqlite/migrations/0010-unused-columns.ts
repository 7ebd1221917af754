/** Whether a rebuild keeps the ephemeral partition was stored, but images are written as whole disks: nothing read it. */
import type { Kysely } from 'kysely';

export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema.alterTable('servers').dropColumn('preserves_ephemeral').execute();
}
