/**
 * The session of an agent says whether the agent has proved that it knows the boot secret. Sessions from before are of
 * agents without a secret.
 */
import type { Kysely } from 'kysely';

export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema.alterTable('nodes').addColumn('agent_proven', 'integer').execute();
}
