/**
 * Converts records to rows and back, by the tables in schema.ts.
 *
 *   text, integer   unchanged
 *   boolean         0 or 1
 *   time            integer, milliseconds since 1970
 *   json            text
 *   sealed          JSON; its secrets are stored in the table of secrets, and put back when the row is read
 *   secret          a text that is wholly a secret, stored in that table, too
 *   private         text; private-columns.ts encrypts it in its column
 *   privateJson     JSON, encrypted likewise unless it is empty
 *   guarded         JSON, encrypted likewise if a key in it is the name of a secret
 *
 * null is NULL for every kind.
 */
import type { ColumnType, Insertable } from 'kysely';
import type { Json } from '../../domain/json.ts';
import { MASK } from '../../domain/secrets.ts';
import { uniformObjects } from '../../domain/uniform-objects.ts';
import type { SecretChange, SecretValues } from './seal.ts';
import { seal, unseal } from './seal.ts';

export type ColumnKind =
  | 'text'
  | 'integer'
  | 'boolean'
  | 'time'
  | 'json'
  | 'sealed'
  | 'secret'
  | 'private'
  | 'privateJson'
  | 'guarded';
export type Columns = Readonly<Record<string, ColumnKind>>;

type StoredAs<K extends ColumnKind> = K extends 'integer' | 'boolean' | 'time' ? number : string;
export type Stored = string | number | null;

type Snake<S extends string> = S extends `${infer Head}${infer Rest}`
  ? `${Head extends Lowercase<Head> ? Head : `_${Lowercase<Head>}`}${Snake<Rest>}`
  : '';

/** The kysely table of these fields. An insert may leave out any column: the schema has the defaults. */
export type TableOf<C extends Columns> = {
  [F in keyof C & string as Snake<F>]: ColumnType<
    StoredAs<C[F]> | null,
    StoredAs<C[F]> | null | undefined,
    StoredAs<C[F]> | null
  >;
};

export interface Encoded<C extends Columns> {
  readonly values: Insertable<TableOf<C>>;
  readonly secrets: SecretChange;
}

export interface RowCodec<C extends Columns, T> {
  /** Columns of the fields present in `record`; throws for a field that has no column. */
  encode(record: Readonly<Record<string, unknown>>): Encoded<C>;
  /** The record of a row, with its secrets put back. */
  decode(row: object, secrets?: SecretValues): T;
  /** For a selection of fields: their columns, and a decoder that leaves secrets masked. */
  part<F extends keyof T>(names: readonly F[]): { columns: string[]; decode(row: object): Pick<T, F> };
  /** The column of a field; undefined if sorting by it is not possible. */
  sortColumn(field: string): string | undefined;
}

export function snakeCase(field: string): string {
  return field.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

const UNSORTABLE: ReadonlySet<ColumnKind> = new Set([
  ...['json', 'sealed', 'secret'],
  ...['private', 'privateJson', 'guarded'],
] as const);

export function createCodec<C extends Columns, T>(columns: C): RowCodec<C, T> {
  const fields = Object.entries(columns).map(([field, kind]) => ({ field, kind, column: snakeCase(field) }));
  const decodeAll = decoderOf(fields);
  const byField = new Map(fields.map((entry) => [entry.field, entry]));

  return {
    encode(record) {
      const change: SecretChange = { fields: [], put: new Map(), keep: [] };
      const values: Record<string, Stored> = {};
      for (const [field, value] of Object.entries(record)) {
        if (value === undefined) continue;
        const entry = byField.get(field);
        if (entry === undefined) throw new TypeError(`the store has no column for the field ${field}`);
        values[entry.column] = encodeValue(entry.kind, field, value, change);
      }
      return { values: values as Insertable<TableOf<C>>, secrets: change };
    },
    decode: (row, secrets) => decodeAll(row, secrets) as T,
    part(names) {
      const wanted = fields.filter(({ field }) => names.includes(field as (typeof names)[number]));
      const decode = decoderOf(wanted);
      return {
        columns: wanted.map(({ column }) => column),
        decode: (row) => decode(row, undefined) as Pick<T, (typeof names)[number]>,
      };
    },
    sortColumn(field) {
      const entry = byField.get(field);
      return entry === undefined || UNSORTABLE.has(entry.kind) ? undefined : entry.column;
    },
  };
}

interface Field {
  readonly field: string;
  readonly kind: ColumnKind;
  readonly column: string;
}

function decoderOf(fields: readonly Field[]): (row: object, secrets: SecretValues | undefined) => object {
  const blank = uniformObjects(fields.map(({ field }) => field));
  const readers = fields.map(({ field, kind, column }) => ({ field, column, read: readerOf(kind, field) }));
  return (row, secrets) => {
    const stored = row as Readonly<Record<string, Stored>>;
    const record = blank();
    for (const { field, column, read } of readers) {
      const value = stored[column] ?? null;
      if (value !== null) record[field] = read(value, secrets);
    }
    return record;
  };
}

function encodeValue(kind: ColumnKind, field: string, value: unknown, change: SecretChange): Stored {
  if (kind === 'sealed' || kind === 'secret') change.fields.push(field);
  if (value === null) return null;
  switch (kind) {
    case 'boolean':
      return value ? 1 : 0;
    case 'time':
      return (value as Date).getTime();
    case 'json':
    case 'privateJson':
    case 'guarded':
      return JSON.stringify(value);
    case 'sealed':
      return JSON.stringify(seal(value as Json, `/${field}`, change));
    case 'secret':
      change.put.set(`/${field}`, value as string);
      return MASK;
    default:
      return value as Stored;
  }
}

type Reader = (value: string | number, secrets: SecretValues | undefined) => unknown;

function readerOf(kind: ColumnKind, field: string): Reader {
  switch (kind) {
    case 'boolean':
      return (value) => value !== 0;
    case 'time':
      return (value) => new Date(value);
    case 'json':
    case 'privateJson':
    case 'guarded': {
      const parse = parserOf();
      return (value) => parse(value as string);
    }
    case 'sealed': {
      const [parse, pointer] = [parserOf(), `/${field}`];
      // listShown reads no secrets
      return (value, secrets) =>
        secrets === undefined || value === '{}'
          ? parse(value as string)
          : unseal(JSON.parse(value as string), pointer, secrets);
    }
    case 'secret':
      return (_, secrets) => secrets?.get(`/${field}`) ?? MASK;
    default:
      return (value) => value;
  }
}

/** Consecutive rows often have the same text: they share one parsed value, which is frozen for this reason. */
function parserOf(): (text: string) => unknown {
  let last = { text: '{}', value: freezeDeep({}) };
  return (text) => {
    if (last.text !== text) last = { text, value: freezeDeep(JSON.parse(text)) };
    return last.value;
  };
}

function freezeDeep(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  for (const key in value) freezeDeep((value as Readonly<Record<string, unknown>>)[key]);
  return Object.freeze(value);
}
