/**
 * One kind of resource in a table of its own, driven by a shape: what the columns are, how a record is named in
 * errors, and which values may exist only once. Nodes are richer and have a store of their own.
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
import { type Columns, createCodec, type RowCodec, type TableOf } from './row-codec.ts';
import type { BrokenConstraint } from './sqlite.ts';

export interface RecordShape {
  readonly table: string;
  /** Begins the sentence "... X could not be found.": `Port`, `Deploy template`. */
  readonly label: string;
  readonly columns: Columns;
  /** Found by its name too. */
  readonly named: boolean;
  /** First column of what exists once -> the words of the error and their fields: `MAC address`, `address`. */
  readonly unique: Readonly<Record<string, Readonly<Record<string, string>>>>;
}

/** The columns this module names itself. */
type Common = TableOf<{ id: 'integer'; uuid: 'text'; name: 'text' }>;

/** Records of no node and no owner are nobody's; public ones are everybody's. */
function belongingTo({ columns }: RecordShape, project: string) {
  if ('public' in columns) return sql<SqlBool>`(owner = ${project} or public = 1)`;
  if ('owner' in columns) return sql<SqlBool>`owner = ${project}`;
  if (!('nodeUuid' in columns)) return sql<SqlBool>`1 = 0`;
  return sql<SqlBool>`node_uuid in (select uuid from nodes where owner = ${project} or lessee = ${project})`;
}

/** On nodes that have one of these values. */
const onNodes = (column: 'shard' | 'conductor_group', values: readonly string[]) =>
  values.length === 0
    ? sql<SqlBool>`1 = 0`
    : sql<SqlBool>`node_uuid in (select uuid from nodes where ${sql.ref(column)} in (${sql.join([...values])}))`;

/** Each transaction has its stores made anew, but what follows from a shape alone stays. */
const codecs = new WeakMap<Columns, RowCodec<Columns, unknown>>();

function codecOf<T>(columns: Columns): RowCodec<Columns, T> {
  const codec = codecs.get(columns) ?? createCodec<Columns, unknown>(columns);
  codecs.set(columns, codec);
  return codec as RowCodec<Columns, T>;
}

/** Typed as far as every resource goes: the codec knows the other columns. */
const queryOf = (db: Database) => db.query as unknown as Kysely<Record<string, Common>>;

export function createRecordStore<T extends Recorded>(db: Database, shape: RecordShape): RecordStore<T> {
  const { table, label, columns } = shape;
  const codec = codecOf<T>(columns);

  async function find(ident: string): Promise<T | undefined> {
    const row = await queryOf(db)
      .selectFrom(table)
      .selectAll()
      .where((eb) =>
        shape.named ? eb.or([eb('uuid', '=', ident), eb('name', '=', ident)]) : eb('uuid', '=', ident),
      )
      .executeTakeFirst();
    return row && codec.decode(row);
  }

  function refused(uuid: string, patch: object): (broken: BrokenConstraint) => Error | undefined {
    const given = patch as Readonly<Record<string, unknown>>;
    return (broken) => {
      if (broken.kind === 'foreign key') {
        const owner = given['nodeUuid'] ?? given['portgroupUuid'];
        return notFound('Node', String(owner));
      }
      const column = broken.column.split(',')[0]?.replace(`${table}.`, '') ?? '';
      const fields = { uuid: { UUID: 'uuid' }, ...shape.unique }[column];
      if (fields === undefined) return undefined;
      const values = Object.entries(fields)
        .map(([words, field]) => [words, field === 'uuid' ? uuid : given[field]] as const)
        .filter(([, value]) => value !== undefined)
        .map(([words, value]) => `${words} ${String(value)}`);
      const article = /^[AEIO]/.test(label) ? 'An' : 'A';
      return new IngotError(
        'conflict',
        `${article} ${label.toLowerCase()} with ${values.join(' and ')} already exists.`,
      );
    };
  }

  const inUse =
    (uuid: string) =>
    ({ kind }: BrokenConstraint): Error | undefined =>
      kind === 'foreign key'
        ? new IngotError('conflict', `${label} ${uuid} is in use: other records refer to it.`)
        : undefined;

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

  const encoded = (record: object): never =>
    codec.encode(record as Readonly<Record<string, unknown>>).values as never;

  return {
    create: (record: NewRecord<T>, now) =>
      explaining(db, refused(record.uuid, record), async () => {
        const row = await queryOf(db)
          .insertInto(table)
          .values(encoded({ ...record, createdAt: now }))
          .returningAll()
          .executeTakeFirstOrThrow();
        return codec.decode(row);
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
      for (const [name, value] of Object.entries(encoded(filter))) {
        rows = rows.where(sql.ref<string | number>(name), '=', value as string | number);
      }
      if (project !== undefined) rows = rows.where(belongingTo(shape, project));
      if (shards !== undefined) rows = rows.where(onNodes('shard', shards));
      if (conductorGroups !== undefined) rows = rows.where(onNodes('conductor_group', conductorGroups));
      if (descriptionContains !== undefined)
        rows = rows.where(containing('description', descriptionContains));
      return (await paged(rows, table, column, page, marker).execute()).map((row) => codec.decode(row));
    },

    update: (uuid, patch: RecordPatch<T>, now) =>
      explaining(db, refused(uuid, patch), async () => {
        const row = await queryOf(db)
          .updateTable(table)
          .set(encoded({ ...patch, updatedAt: now }))
          .where('uuid', '=', uuid)
          .returningAll()
          .executeTakeFirst();
        if (row === undefined) throw notFound(label, uuid);
        return codec.decode(row);
      }),

    delete: (uuid) =>
      explaining(db, inUse(uuid), async () => {
        const { numDeletedRows } = await queryOf(db)
          .deleteFrom(table)
          .where('uuid', '=', uuid)
          .executeTakeFirst();
        if (numDeletedRows === 0n) throw notFound(label, uuid);
      }),
  };
}
