/**
 * Migrates a database to the schema of this program. The list of migrations is static, so that a bundler includes
 * them; each one is atomic.
 */
import { sql } from 'kysely';
import type { Migration } from 'kysely/migration';
import { Migrator } from 'kysely/migration';
import { IngotError } from '../../domain/errors.ts';
import type { Database } from './database.ts';
import * as initial from './migrations/0001-initial.ts';
import * as declinedAddresses from './migrations/0002-declined-addresses.ts';
import * as resources from './migrations/0003-resources.ts';
import * as children from './migrations/0004-children-and-runbooks.ts';
import * as compute from './migrations/0005-compute.ts';
import * as revokedTokens from './migrations/0006-revoked-tokens.ts';
import * as rulesAndLabels from './migrations/0007-rules-and-labels.ts';
import * as historyDetails from './migrations/0008-history-details.ts';
import * as typedWaits from './migrations/0009-typed-waits.ts';
import * as unusedColumns from './migrations/0010-unused-columns.ts';
import * as requestedNetworks from './migrations/0011-requested-networks.ts';
import * as provenAgents from './migrations/0012-proven-agents.ts';
import * as secretKeys from './migrations/0013-secret-keys.ts';
import * as bmcCipherSuites from './migrations/0014-bmc-cipher-suites.ts';

const MIGRATIONS: Readonly<Record<string, Migration>> = {
  '0001-initial': initial,
  '0002-declined-addresses': declinedAddresses,
  '0003-resources': resources,
  '0004-children-and-runbooks': children,
  '0005-compute': compute,
  '0006-revoked-tokens': revokedTokens,
  '0007-rules-and-labels': rulesAndLabels,
  '0008-history-details': historyDetails,
  '0009-typed-waits': typedWaits,
  '0010-unused-columns': unusedColumns,
  '0011-requested-networks': requestedNetworks,
  '0012-proven-agents': provenAgents,
  '0013-secret-keys': secretKeys,
  '0014-bmc-cipher-suites': bmcCipherSuites,
};

const TABLE = 'ingot_migrations';

/**
 * Runs the missing migrations, up to `last` or all, and returns their names. Throws IngotError('unsupported') if the
 * schema is newer than this program.
 */
export async function migrate(db: Database, path: string, last?: string): Promise<string[]> {
  const unknown = (await done(db)).filter((name) => !Object.hasOwn(MIGRATIONS, name));
  if (unknown.length > 0) {
    throw new IngotError(
      'unsupported',
      `The database ${path} was last used by a newer version (it has the migration ${unknown.join(', ')}): start that version or a later one, or use another database.`,
    );
  }
  const migrator = new Migrator({
    db: db.query,
    provider: { getMigrations: async () => ({ ...MIGRATIONS }) },
    migrationTableName: TABLE,
    migrationLockTableName: `${TABLE}_lock`,
  });
  const { error, results } = await (last === undefined
    ? migrator.migrateToLatest()
    : migrator.migrateTo(last));
  if (error !== undefined) throw error;
  return (results ?? []).map((result) => result.migrationName);
}

async function done(db: Database): Promise<string[]> {
  const tables = await db.query.introspection.getTables({ withInternalKyselyTables: true });
  if (!tables.some((table) => table.name === TABLE)) return [];
  const { rows } = await sql<{ name: string }>`select name from ${sql.table(TABLE)}`.execute(db.query);
  return rows.map((row) => row.name);
}
