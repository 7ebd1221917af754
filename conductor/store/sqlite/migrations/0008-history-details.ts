/** History entries get the caller's project, the node's state and the time that it was in it. API 1.113, 1.115. */
import type { Kysely } from 'kysely';

export async function up(db: Kysely<unknown>): Promise<void> {
  for (const column of ['project', 'state', 'target_provision_state'] as const) {
    await db.schema.alterTable('history').addColumn(column, 'text').execute();
  }
  await db.schema.alterTable('history').addColumn('duration_seconds', 'integer').execute();
}
