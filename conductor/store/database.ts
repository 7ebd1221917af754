/**
 * What the sub-stores share: typed queries, all-or-nothing work, and secrets read together with their row.
 */
import type { Compilable, CompiledQuery, QueryResult } from 'kysely';
import { Kysely, sql } from 'kysely';
import type { Json } from '../domain/json.ts';
import type { Schema } from './schema.ts';
import type { SecretChange, SecretValues } from './seal.ts';
import type { BrokenConstraint, SqlEngine } from './sqlite.ts';

export interface Database {
  readonly query: Kysely<Schema>;
  /**
   * Runs in a transaction, the present one if there is one. In that case a failure undoes nothing by itself,
   * so put the statement that may be refused first.
   */
  atomic<T>(work: (db: Database) => Promise<T>): Promise<T>;
  readonly engine: SqlEngine;
  close(): Promise<void>;
}

export function createDatabase(engine: SqlEngine): Database {
  const query = new Kysely<Schema>({ dialect: engine.dialect });
  return {
    query,
    engine,
    atomic: (work) =>
      query
        .transaction()
        .execute((transaction) => engine.inTransaction(() => work(within(engine, transaction)))),
    close: () => query.destroy(),
  };
}

function within(engine: SqlEngine, transaction: Kysely<Schema>): Database {
  const db: Database = {
    query: transaction,
    engine,
    atomic: (work) => work(db),
    close: () => Promise.reject(new Error('a transaction cannot close the store')),
  };
  return db;
}

/** Turns a broken constraint into the error `explain` makes of it; anything else passes. */
export async function explaining<T>(
  db: Database,
  explain: (broken: BrokenConstraint) => Error | undefined,
  work: () => Promise<T>,
): Promise<T> {
  try {
    return await work();
  } catch (error) {
    const broken = db.engine.brokenConstraint(error);
    throw (broken && explain(broken)) ?? error;
  }
}

/** Whose secrets: the column of `secrets` and the row it points to. */
export const SECRET_OWNERS = {
  node: { column: 'node_uuid', row: 'nodes.uuid' },
  operation: { column: 'operation_id', row: 'operations.id' },
} as const;
export type SecretOwner = keyof typeof SECRET_OWNERS;

/** Sub-select giving the row's secrets as one JSON object, so that row and secrets are of one moment. */
export function secretsOf(db: Database, owner: SecretOwner) {
  const { column, row } = SECRET_OWNERS[owner];
  const object = db.engine.aggregateObject(sql.ref('secrets.pointer'), sql.ref('secrets.value'));
  return sql<
    string | null
  >`(select ${object} from secrets where ${sql.ref(`secrets.${column}`)} = ${sql.ref(row)})`.as('secrets');
}

export function readSecrets(column: string | null): SecretValues | undefined {
  if (column === null || column === '{}') return undefined;
  return new Map(Object.entries(JSON.parse(column) as Record<string, Json>));
}

/** Applies a change to the secrets of one row; call within the transaction that writes the row. */
export async function writeSecrets(
  db: Database,
  owner: SecretOwner,
  id: string | number,
  change: SecretChange,
): Promise<void> {
  const { column } = SECRET_OWNERS[owner];
  for (const field of change.fields) {
    let removal = db.query
      .deleteFrom('secrets')
      .where(column, '=', id as never)
      .where((eb) => eb.or([eb('pointer', '=', `/${field}`), eb('pointer', 'like', `/${field}/%`)]));
    if (change.keep.length > 0) removal = removal.where('pointer', 'not in', change.keep);
    await removal.execute();
  }
  const rows = [...change.put].map(([pointer, value]) => ({
    [column]: id,
    pointer,
    value: JSON.stringify(value),
  }));
  if (rows.length > 0) await db.query.insertInto('secrets').values(rows).execute();
}

class Slot {
  readonly name: string;

  constructor(name: string) {
    this.name = name;
  }
}

/** A query built once for a hot path: `build` gets placeholders, each call brings their values. */
export function prepared<A extends object, R>(
  build: (db: Database, slots: A) => Compilable<R>,
): (db: Database, args: A) => Promise<QueryResult<R>> {
  const slots = new Proxy({}, { get: (_, name) => new Slot(String(name)) }) as A;
  const compiled = new WeakMap<SqlEngine, CompiledQuery<R>>();
  return (db, args) => {
    const query = compiled.get(db.engine) ?? build(db, slots).compile();
    compiled.set(db.engine, query);
    const values = args as Readonly<Record<string, unknown>>;
    const parameters = query.parameters.map((value) => (value instanceof Slot ? values[value.name] : value));
    return db.query.executeQuery({ ...query, parameters });
  };
}
