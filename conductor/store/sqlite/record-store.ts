/**
 * The store of one kind of resource in its own table. A RecordTable describes it: its columns, its name in errors, and
 * its unique values. Nodes need more and have their own store: see nodes.ts.
 */
import { type Kysely, type SqlBool, sql } from 'kysely';
import { IngotError, notFound } from '../../domain/errors.ts';
import type { NewRecord, Recorded, RecordPatch } from '../../domain/resources.ts';
import type { Rows } from '../../domain/store/page.ts';
import type { RecordStore } from '../../domain/store/records.ts';
import type { Database } from './database.ts';
import { explaining } from './database.ts';
import { containing } from './node-filter.ts';
import type { Marker } from './paging.ts';
import { paged, sortColumn } from './paging.ts';
import { type PrivateColumns, privateColumns } from './private-columns.ts';
import { type Columns, createCodec, type RowCodec, type TableOf } from './row-codec.ts';
import type { BrokenConstraint } from './sqlite.ts';

export interface RecordTable {
  readonly table: string;
  /** The first words of "Port X could not be found.": `Port`, `Deploy template`. */
  readonly label: string;
  readonly columns: Columns;
  /** Records can be found by name, too. */
  readonly named: boolean;
  /** First column of a unique index -> label in the error -> field: `address` -> `MAC address` -> `address`. */
  readonly unique: Readonly<Record<string, Readonly<Record<string, string>>>>;
}

/** The columns that this module uses by name. */
type Common = TableOf<{ id: 'integer'; uuid: 'text'; name: 'text' }>;

/** A project owns its records and those of its nodes. A public record is visible to all projects. */
function belongingTo({ columns }: RecordTable, project: string) {
  if ('public' in columns) return sql<SqlBool>`(owner = ${project} or public = 1)`;
  if ('owner' in columns) return sql<SqlBool>`owner = ${project}`;
  if (!('nodeUuid' in columns)) return sql<SqlBool>`1 = 0`;
  return sql<SqlBool>`node_uuid in (select uuid from nodes where owner = ${project} or lessee = ${project})`;
}

/** Condition: the record's node has one of these values. */
const onNodes = (column: 'shard' | 'conductor_group', values: readonly string[]) =>
  values.length === 0
    ? sql<SqlBool>`1 = 0`
    : sql<SqlBool>`node_uuid in (select uuid from nodes where ${sql.ref(column)} in (${sql.join([...values])}))`;

/** Each transaction gets new stores; codecs depend only on the columns, so they are kept. */
interface TableCodec<T> {
  readonly codec: RowCodec<Columns, T>;
  readonly hidden: PrivateColumns;
}
const codecs = new WeakMap<RecordTable, TableCodec<unknown>>();

function codecOf<T>(of: RecordTable): TableCodec<T> {
  const made = codecs.get(of) ?? {
    codec: createCodec<Columns, unknown>(of.columns),
    hidden: privateColumns(of.table, of.columns),
  };
  codecs.set(of, made);
  return made as TableCodec<T>;
}

/** Typed with the common columns only; the codec knows the other columns. */
const queryOf = (db: Database) => db.query as unknown as Kysely<Record<string, Common>>;

/** The error for the caller whose write broke a constraint. */
function refused({ table, label, unique }: RecordTable, uuid: string, patch: object) {
  const given = patch as Readonly<Record<string, unknown>>;
  return (broken: BrokenConstraint): Error | undefined => {
    if (broken.kind === 'foreign key')
      return notFound('Node', String(given['nodeUuid'] ?? given['portgroupUuid']));
    const column = broken.column.split(',')[0]?.replace(`${table}.`, '') ?? '';
    const fields = { uuid: { UUID: 'uuid' }, ...unique }[column];
    if (fields === undefined) return undefined;
    const values = Object.entries(fields)
      .map(([words, field]) => [words, field === 'uuid' ? uuid : given[field]] as const)
      .filter(([, value]) => value !== undefined)
      .map(([words, value]) => `${words} ${String(value)}`);
    const article = /^[AEIO]/.test(label) ? 'An' : 'A';
    const text = `${article} ${label.toLowerCase()} with ${values.join(' and ')} already exists.`;
    return new IngotError('conflict', text);
  };
}

const inUse =
  ({ label }: RecordTable, uuid: string) =>
  ({ kind }: BrokenConstraint): Error | undefined =>
    kind === 'foreign key'
      ? new IngotError('conflict', `${label} ${uuid} is in use: other records refer to it.`)
      : undefined;

export function createRecordStore<T extends Recorded>(db: Database, of: RecordTable): RecordStore<T> {
  const { table, label } = of;
  const { codec, hidden } = codecOf<T>(of);

  function decode(row: { readonly uuid?: string | null }): T {
    hidden.show(db.cipher, row.uuid ?? '', row);
    return codec.decode(row);
  }

  async function find(ident: string): Promise<T | undefined> {
    const row = await queryOf(db)
      .selectFrom(table)
      .selectAll()
      .where((eb) =>
        of.named ? eb.or([eb('uuid', '=', ident), eb('name', '=', ident)]) : eb('uuid', '=', ident),
      )
      .executeTakeFirst();
    return row && decode(row);
  }

  async function markerOf(page: Rows, column: string): Promise<Marker | undefined> {
    if (page.marker === undefined) return undefined;
    const row = await queryOf(db)
      .selectFrom(table)
      .select(['id', sql.ref<string | number | null>(column).as('value')])
      .where('uuid', '=', page.marker)
      .executeTakeFirst();
    if (row === undefined) throw notFound(label, page.marker);
    return { id: row.id ?? 0, value: row.value };
  }

  const valuesOf = (record: object): object =>
    codec.encode(record as Readonly<Record<string, unknown>>).values;

  function encoded(uuid: string, record: object): never {
    const values = valuesOf(record);
    hidden.hide(db.cipher, uuid, values);
    return values as never;
  }

  return {
    create: (record: NewRecord<T>, now) =>
      explaining(db, refused(of, record.uuid, record), async () => {
        const row = await queryOf(db)
          .insertInto(table)
          .values(encoded(record.uuid, { ...record, createdAt: now }))
          .returningAll()
          .executeTakeFirstOrThrow();
        return decode(row);
      }),

    async get(ident) {
      const found = await find(ident);
      if (found === undefined) throw notFound(label, ident);
      return found;
    },

    find,

    async list(filter, page, { project, shards, conductorGroups, descriptionContains } = {}) {
      const column = sortColumn(codec, page);
      const marker = await markerOf(page, column);
      let rows = queryOf(db).selectFrom(table).selectAll();
      for (const [name, value] of Object.entries(valuesOf(filter))) {
        if (hidden.has(name))
          throw new TypeError(`${table} cannot be filtered by ${name}, which is encrypted`);
        rows = rows.where(sql.ref<string | number>(name), '=', value as string | number);
      }
      if (project !== undefined) rows = rows.where(belongingTo(of, project));
      if (shards !== undefined) rows = rows.where(onNodes('shard', shards));
      if (conductorGroups !== undefined) rows = rows.where(onNodes('conductor_group', conductorGroups));
      if (descriptionContains !== undefined)
        rows = rows.where(containing('description', descriptionContains));
      return (await paged(rows, table, column, page, marker).execute()).map(decode);
    },

    update: (uuid, patch: RecordPatch<T>, now) =>
      explaining(db, refused(of, uuid, patch), async () => {
        const row = await queryOf(db)
          .updateTable(table)
          .set(encoded(uuid, { ...patch, updatedAt: now }))
          .where('uuid', '=', uuid)
          .returningAll()
          .executeTakeFirst();
        if (row === undefined) throw notFound(label, uuid);
        return decode(row);
      }),

    delete: (uuid) =>
      explaining(db, inUse(of, uuid), async () => {
        const { numDeletedRows } = await queryOf(db)
          .deleteFrom(table)
          .where('uuid', '=', uuid)
          .executeTakeFirst();
        if (numDeletedRows === 0n) throw notFound(label, uuid);
      }),
  };
}
