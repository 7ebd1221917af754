/**
 * Shared by the sub-stores: typed queries, transactions, and reading secrets together with their row.
 */
import { randomUUID } from 'node:crypto';
import type { Compilable, CompiledQuery, DatabaseConnection, Driver, QueryResult } from 'kysely';
import { Kysely, sql } from 'kysely';
import type { Json } from '../../domain/json.ts';
import { type SecretCipher, temporaryCipher } from '../secret-cipher.ts';
import type { EarlyQuery } from './group-commit.ts';
import { createKeptSecrets, type KeptSecrets } from './kept-secrets.ts';
import type { Schema } from './schema.ts';
import type { SecretChange, SecretValues } from './seal.ts';
import type { BrokenConstraint, SqlEngine } from './sqlite.ts';

export interface Database {
  /** Builds and runs statements that are not prepared once. */
  readonly query: Kysely<Schema>;
  /** Runs a compiled query directly on the connection: kysely's own path takes more time than SQLite itself. */
  run<R>(query: CompiledQuery<R>): Promise<QueryResult<R>>;
  /**
   * Runs in the open transaction, or in a new one if none is open. In an open one, a failure of `work` alone rolls
   * nothing back, so put the statement that may fail first.
   */
  atomic<T>(work: (db: Database) => Promise<T>): Promise<T>;
  readonly engine: SqlEngine;
  /** All secrets pass through it on their way into the database and out of it. */
  readonly cipher: SecretCipher;
  close(): Promise<void>;
}

/** Without a cipher, secrets can be read only until the process ends. */
export function createDatabase(engine: SqlEngine, cipher: SecretCipher = temporaryCipher()): Database {
  const { driver } = engine;
  const query = new Kysely<Schema>({ dialect: engine.dialect(driver) });
  const connection = driver.connect();
  return {
    query,
    engine,
    cipher,
    run: (compiled) => connection.executeQuery(compiled),
    async atomic(work) {
      const own = driver.connect();
      await driver.beginTransaction(own, {});
      try {
        const result = await engine.inTransaction(() => work(within(engine, cipher, own)));
        await driver.commitTransaction(own);
        return result;
      } catch (error) {
        await driver.rollbackTransaction(own);
        throw error;
      }
    },
    // kysely's destroy does nothing for a driver that it has not used.
    close: () => driver.destroy(),
  };
}

/** The database for the work of a transaction. Most of that work needs no kysely, so it is made on first use. */
function within(engine: SqlEngine, cipher: SecretCipher, connection: DatabaseConnection): Database {
  let query: Kysely<Schema> | undefined;
  const db: Database = {
    get query() {
      query ??= new Kysely<Schema>({ dialect: engine.dialect(driverOf(connection)) });
      return query;
    },
    engine,
    cipher,
    run: (compiled) => connection.executeQuery(compiled),
    atomic: (work) => work(db),
    close: () => Promise.reject(new Error('a transaction cannot close the store')),
  };
  return db;
}

function driverOf(connection: DatabaseConnection): Driver {
  const refuse = () => Promise.reject(new Error('the work of a transaction neither begins nor ends one'));
  return {
    init: async () => undefined,
    acquireConnection: async () => connection,
    releaseConnection: async () => undefined,
    beginTransaction: refuse,
    commitTransaction: refuse,
    rollbackTransaction: refuse,
    destroy: refuse,
  };
}

/** Replaces the error of a broken constraint with the one that `explain` returns; other errors are unchanged. */
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

/** The owners of secrets: the column of `secrets`, and the column that it refers to. */
export const SECRET_OWNERS = {
  node: { column: 'node_uuid', row: 'nodes.uuid' },
  operation: { column: 'operation_id', row: 'operations.id' },
} as const;
export type SecretOwner = keyof typeof SECRET_OWNERS;

/** Sub-select that returns the row's secrets as one JSON object, so that row and secrets are read consistently. */
export function secretsOf(db: Database, owner: SecretOwner) {
  const { column, row } = SECRET_OWNERS[owner];
  const object = db.engine.aggregateObject(sql.ref('secrets.pointer'), sql.ref('secrets.value'));
  return sql<
    string | null
  >`(select ${object} from secrets where ${sql.ref(`secrets.${column}`)} = ${sql.ref(row)})`.as('secrets');
}

/** The place of a secret, for the cipher: it can not be moved to another row or field. */
export const secretPlace = (owner: SecretOwner, id: string | number, pointer: string): string =>
  `secrets:${owner}:${id}:${pointer}`;

/** Decrypts the secrets of a row, from the column that `secretsOf` selects. */
export function readSecrets(
  { cipher }: Database,
  owner: SecretOwner,
  id: string | number,
  column: string | null,
): SecretValues | undefined {
  if (column === null || column === '{}') return undefined;
  const kept = keptBy(cipher);
  const row = `${owner}:${id}`;
  const known = kept.get(row, column);
  if (known !== undefined) return known;
  const secrets = new Map<string, Json>();
  const stored = JSON.parse(column) as Record<string, string>;
  for (const pointer in stored) {
    const text = cipher.tryDecrypt(secretPlace(owner, id, pointer), stored[pointer] ?? '');
    // One damaged value must not keep all other nodes from being read. No token and no password equals a random one.
    secrets.set(pointer, text === undefined ? `unreadable ${randomUUID()}` : (JSON.parse(text) as Json));
  }
  kept.put(row, column, secrets);
  return secrets;
}

const keptByCipher = new WeakMap<SecretCipher, KeptSecrets>();

function keptBy(cipher: SecretCipher): KeptSecrets {
  const kept = keptByCipher.get(cipher) ?? createKeptSecrets();
  keptByCipher.set(cipher, kept);
  return kept;
}

/** The text of a secret in its table: JSON, since `secretsOf` puts several into one object. */
export const secretText = ({ cipher }: Database, place: string, value: Json): string =>
  JSON.stringify(cipher.encrypt(place, JSON.stringify(value)));

/** One statement per secret: a row has only one or two. */
const forgetSecret = preparedFor((db, placeholders: { id: string | number; pointer: string }, [owner]) =>
  db.query
    .deleteFrom('secrets')
    .where(SECRET_OWNERS[owner as SecretOwner].column, '=', placeholders.id as never)
    .where('pointer', '=', placeholders.pointer),
);
const keepSecret = preparedFor(
  (db, placeholders: { id: string | number; pointer: string; value: string }, [owner]) =>
    db.query.insertInto('secrets').values({
      [SECRET_OWNERS[owner as SecretOwner].column]: placeholders.id,
      pointer: placeholders.pointer,
      value: placeholders.value,
    }),
);

/**
 * Applies a change to the secrets of one row; `stored` are its current secrets. Returns the new secrets. Call it in the
 * transaction that writes the row.
 */
export async function writeSecrets(
  db: Database,
  owner: SecretOwner,
  id: string | number,
  stored: SecretValues | undefined,
  change: SecretChange,
): Promise<SecretValues> {
  const secrets = new Map(stored);
  for (const pointer of secrets.keys()) {
    const written = change.fields.some(
      (field) => pointer === `/${field}` || pointer.startsWith(`/${field}/`),
    );
    if (!written || change.keep.includes(pointer)) continue;
    await forgetSecret(db, [owner], { id, pointer });
    secrets.delete(pointer);
  }
  for (const [pointer, value] of change.put) {
    await keepSecret(db, [owner], {
      id,
      pointer,
      value: secretText(db, secretPlace(owner, id, pointer), value),
    });
    secrets.set(pointer, value);
  }
  return secrets;
}

class Placeholder {
  readonly name: string;

  constructor(name: string) {
    this.name = name;
  }
}

/** A query that is built once, for hot paths. `build` gets placeholders; each call passes their values. */
export function prepared<A extends object, R>(
  build: (db: Database, placeholders: A) => Compilable<R>,
  mode: Pick<EarlyQuery, 'early'> = {},
): (db: Database, args: A) => Promise<QueryResult<R>> {
  const placeholders = new Proxy({}, { get: (_, name) => new Placeholder(String(name)) }) as A;
  const compiled = new WeakMap<SqlEngine, CompiledQuery<R>>();
  return (db, args) => {
    const query = compiled.get(db.engine) ?? build(db, placeholders).compile();
    compiled.set(db.engine, query);
    const values = args as Readonly<Record<string, unknown>>;
    const parameters = query.parameters.map((value) =>
      value instanceof Placeholder ? values[value.name] : value,
    );
    return db.run<R>({ ...query, ...mode, parameters });
  };
}

/** Larger than the number of different sets of columns that the program writes. */
const MAX_VARIANTS = 200;

/** Like `prepared`, for queries that differ only in their columns: each set of names is built once. */
export function preparedFor<A extends object, R>(
  build: (db: Database, placeholders: A, names: readonly string[]) => Compilable<R>,
): (db: Database, names: readonly string[], args: A) => Promise<QueryResult<R>> {
  const variants = new Map<string, (db: Database, args: A) => Promise<QueryResult<R>>>();
  return (db, names, args) => {
    const key = names.join();
    const kept = variants.get(key);
    if (kept !== undefined) return kept(db, args);
    if (variants.size >= MAX_VARIANTS) variants.clear();
    const query = prepared<A, R>((within, placeholders) => build(within, placeholders, names));
    variants.set(key, query);
    return query(db, args);
  };
}
