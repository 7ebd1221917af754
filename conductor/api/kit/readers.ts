/**
 * Readers check the values of a request: they take a value of unknown type and return a typed one. A value that clients
 * may send in two forms, such as a number or its text, is returned in one form. Each reader also has the JSON Schema
 * of the values that it accepts.
 *
 *   const CREATE = object({ flavor: object({ name, ram: integer(1), description: since(55, optional(...)) }) });
 *   const { flavor } = CREATE.read(body, place);
 *
 * A fault is the reason why a value is invalid. Each API has its own texts and errors for faults: see `Place`.
 */
import { isUuid } from '@ingot/shared/ironic/identifiers.ts';
import { isJsonObject, type JsonObject } from '../../domain/json.ts';
import type { JsonSchema } from './route-doc.ts';

export type JsonType = 'object' | 'array' | 'string' | 'integer' | 'boolean' | 'null';

/** The reason why a value is invalid. */
export type Fault =
  | { readonly kind: 'type'; readonly types: readonly JsonType[] }
  | { readonly kind: 'required'; readonly name: string }
  | { readonly kind: 'unexpected'; readonly names: readonly string[] }
  | { readonly kind: 'short' | 'long'; readonly limit: number }
  | { readonly kind: 'pattern'; readonly source: string }
  | { readonly kind: 'range'; readonly min: number; readonly max: number }
  | { readonly kind: 'choice'; readonly choices: readonly (string | number | null)[] }
  | { readonly kind: 'format'; readonly format: 'uuid' };

/** One API's texts for faults; `value` is the value in the request. */
export type Words = {
  readonly [K in Fault['kind']]: (value: unknown, fault: Extract<Fault, { kind: K }>) => string;
};

export const wordsOf = (words: Words, value: unknown, fault: Fault | string): string =>
  typeof fault === 'string' ? fault : (words[fault.kind] as (v: unknown, f: Fault) => string)(value, fault);

/** The place of a value in a request. */
export interface Place {
  /** Minor number of the request's microversion; 0 for APIs without microversions. */
  readonly minor: number;
  /** Unknown fields are ignored. */
  readonly isLenient: boolean;
  /** Throws the API's error for the fault; a text is used as it is. */
  refuse(value: unknown, fault: Fault | string): never;
  /** The place of a field or item in this value. */
  inside(name: string | number): Place;
}

export interface Reader<T> {
  read(value: unknown, at: Place): T;
  readonly schema: JsonSchema;
}

export interface OptionalReader<T> extends Reader<T> {
  readonly isOptional: true;
  readonly since?: number;
  readonly until?: number;
}

export type Fields = Readonly<Record<string, Reader<unknown>>>;
type OptionalKeys<F extends Fields> = {
  [K in keyof F]: F[K] extends OptionalReader<unknown> ? K : never;
}[keyof F];

/** The type that a reader returns. */
export type Read<R> = R extends Reader<infer T> ? T : never;

export type ObjectOf<F extends Fields> = {
  readonly [K in Exclude<keyof F, OptionalKeys<F>>]: Read<F[K]>;
} & { readonly [K in OptionalKeys<F>]?: Read<F[K]> };

export const MAX_INTEGER = 0x7fffffff;
const ANYWHERE = { isOptional: false, since: 0, until: Number.POSITIVE_INFINITY };
const NO_LIMIT = Number.POSITIVE_INFINITY;

const typeFault = (...types: JsonType[]): Fault => ({ kind: 'type', types });
/** The keywords without those that set no limit. */
const limited = (keywords: Readonly<Record<string, number | string | undefined>>): JsonSchema =>
  Object.fromEntries(
    Object.entries(keywords).filter(([, limit]) => limit !== undefined && limit !== NO_LIMIT && limit !== 0),
  );

export const optional = <T>(reader: Reader<T>): OptionalReader<T> => ({ ...reader, isOptional: true });
/** A field that exists from this microversion on; the OpenAPI document shows it as a version of the API. */
export const since = <T>(minor: number, reader: OptionalReader<T>): OptionalReader<T> => ({
  ...reader,
  since: minor,
  schema: { ...reader.schema, 'x-since': minor },
});
/** A field that exists up to this microversion. */
export const until = <T>(minor: number, reader: OptionalReader<T>): OptionalReader<T> => ({
  ...reader,
  until: minor,
  schema: { ...reader.schema, 'x-until': minor },
});

/** An object with these fields. Refuses unknown fields, and fields that the microversion does not have. */
export function object<F extends Fields>(fields: F): Reader<ObjectOf<F>> {
  const known = Object.entries(fields).map(([name, reader]) => ({ ...ANYWHERE, ...reader, name }));
  const byName = new Map(known.map((field) => [field.name, field]));
  return {
    schema: {
      type: 'object',
      properties: Object.fromEntries(known.map(({ name, schema }) => [name, schema])),
      required: known.filter(({ isOptional }) => !isOptional).map(({ name }) => name),
      additionalProperties: false,
    },
    read(value, at) {
      if (!isJsonObject(value)) return at.refuse(value, typeFault('object'));
      const isKnown = (name: string) => {
        const field = byName.get(name);
        return field !== undefined && Math.max(at.minor, 1) >= field.since && at.minor <= field.until;
      };
      const unknown = Object.keys(value).filter((name) => !isKnown(name));
      if (unknown.length > 0 && !at.isLenient) at.refuse(value, { kind: 'unexpected', names: unknown });
      const read: Record<string, unknown> = {};
      for (const { name, isOptional, read: readField } of known) {
        if (Object.hasOwn(value, name) && isKnown(name)) read[name] = readField(value[name], at.inside(name));
        else if (!isOptional) at.refuse(value, { kind: 'required', name });
      }
      return read as ObjectOf<F>;
    },
  };
}

/** Like `object`, but ignores other fields. */
export function openObject<F extends Fields>(fields: F): Reader<ObjectOf<F>> {
  const strict = object(fields);
  const { additionalProperties: _, ...schema } = strict.schema;
  return { schema, read: (value, at) => strict.read(value, { ...at, isLenient: true }) };
}

/** An object with any keys that match `key`. */
export function dictionary<T>(key: RegExp, item: Reader<T>): Reader<Readonly<Record<string, T>>> {
  return {
    schema: {
      type: 'object',
      propertyNames: { pattern: key.source },
      additionalProperties: item.schema,
    },
    read(value, at) {
      if (!isJsonObject(value)) return at.refuse(value, typeFault('object'));
      const wrong = Object.keys(value).filter((name) => !key.test(name));
      if (wrong.length > 0) at.refuse(value, { kind: 'unexpected', names: wrong });
      return Object.fromEntries(
        Object.entries(value).map(([name, one]) => [name, item.read(one, at.inside(name))]),
      );
    },
  };
}

export function list<T>(item: Reader<T>, limits: { min?: number; max?: number } = {}): Reader<readonly T[]> {
  const { min = 0, max = NO_LIMIT } = limits;
  return {
    schema: { type: 'array', items: item.schema, ...limited({ minItems: min, maxItems: max }) },
    read(value, at) {
      if (!Array.isArray(value)) return at.refuse(value, typeFault('array'));
      if (value.length < min) at.refuse(value, { kind: 'short', limit: min });
      if (value.length > max) at.refuse(value, { kind: 'long', limit: max });
      return value.map((one, index) => item.read(one, at.inside(index)));
    },
  };
}

export interface TextLimits {
  readonly min?: number;
  readonly max?: number;
  readonly pattern?: RegExp;
}

export function text({ min = 0, max = NO_LIMIT, pattern }: TextLimits = {}): Reader<string> {
  return {
    schema: { type: 'string', ...limited({ minLength: min, maxLength: max, pattern: pattern?.source }) },
    read(value, at) {
      if (typeof value !== 'string') return at.refuse(value, typeFault('string'));
      if (value.length < min) at.refuse(value, { kind: 'short', limit: min });
      if (value.length > max) at.refuse(value, { kind: 'long', limit: max });
      if (pattern?.test(value) === false) at.refuse(value, { kind: 'pattern', source: pattern.source });
      return value;
    },
  };
}

/** A whole number, as a number or as text. */
export function integer(min = 0, max = MAX_INTEGER): Reader<number> {
  return {
    schema: { type: ['integer', 'string'], minimum: min, maximum: max, pattern: '^[0-9]+$' },
    read(value, at) {
      const isText = typeof value === 'string';
      if (!isText && !Number.isInteger(value)) return at.refuse(value, typeFault('integer', 'string'));
      if (isText && !/^[0-9]+$/.test(value)) return at.refuse(value, { kind: 'pattern', source: '^[0-9]+$' });
      const number = Number(value);
      if (number < min || number > max) at.refuse(value, { kind: 'range', min, max });
      return number;
    },
  };
}

/** A whole number; text is refused. */
export function wholeNumber(min: number, max: number): Reader<number> {
  return {
    schema: { type: 'integer', minimum: min, maximum: max },
    read(value, at) {
      if (typeof value !== 'number' || !Number.isSafeInteger(value))
        return at.refuse(value, typeFault('integer'));
      return value >= min && value <= max ? value : at.refuse(value, { kind: 'range', min, max });
    },
  };
}

/** true or false; text is refused. */
export const flag: Reader<boolean> = {
  schema: { type: 'boolean' },
  read: (value, at) => (typeof value === 'boolean' ? value : at.refuse(value, typeFault('boolean'))),
};

export function oneOf<const V extends string | number>(values: readonly V[]): Reader<V> {
  return {
    schema: { enum: values },
    read: (value, at) =>
      values.find((one) => one === value) ?? at.refuse(value, { kind: 'choice', choices: values }),
  };
}

export function nullable<T>(reader: Reader<T>): Reader<T | null> {
  return {
    schema: orNull(reader.schema),
    read: (value, at) => (value === null ? null : reader.read(value, at)),
  };
}

function orNull(schema: JsonSchema): JsonSchema {
  if (Array.isArray(schema['enum'])) return { ...schema, enum: [null, ...schema['enum']] };
  return schema['type'] === undefined
    ? { anyOf: [{ type: 'null' }, schema] }
    : { ...schema, type: ['null', ...[schema['type']].flat()] };
}

export const uuid: Reader<string> = {
  schema: { type: 'string', format: 'uuid' },
  read: (value, at) =>
    typeof value === 'string' && isUuid(value) ? value : at.refuse(value, { kind: 'format', format: 'uuid' }),
};

/** Any object. */
export const anyObject: Reader<JsonObject> = {
  schema: { type: 'object' },
  read: (value, at) => (isJsonObject(value) ? value : at.refuse(value, typeFault('object'))),
};

/** Any value. */
export const anything: Reader<unknown> = { schema: {}, read: (value) => value };

/** Reads a value, then converts it with `change`. */
export const mapped = <A, B>(reader: Reader<A>, change: (value: A, at: Place) => B): Reader<B> => ({
  schema: reader.schema,
  read: (value, at) => change(reader.read(value, at), at),
});

/** Converts a value with `prepare`, then reads it. */
export const prepared = <T>(
  prepare: (value: unknown, at: Place) => unknown,
  reader: Reader<T>,
): Reader<T> => ({
  schema: reader.schema,
  read: (value, at) => reader.read(prepare(value, at), at),
});

/** A reader that depends on the microversion; the schema is that of the newest. */
export const byMinor = <T>(readerOf: (minor: number) => Reader<T>): Reader<T> => ({
  schema: readerOf(NO_LIMIT).schema,
  read: (value, at) => readerOf(at.minor).read(value, at),
});

/** Reads the value with `a` if `isFirst` holds for it, otherwise with `b`. */
export const either = <A, B>(
  isFirst: (value: unknown) => boolean,
  a: Reader<A>,
  b: Reader<B>,
): Reader<A | B> => ({
  schema: { anyOf: [a.schema, b.schema] },
  read: (value, at) => (isFirst(value) ? a : b).read(value, at),
});

/** Reads the arguments of a query. If an argument is repeated, all values are checked and the last one counts. */
export function readArguments<F extends Fields>(
  query: unknown,
  known: F,
  placeOf: (name: string) => Place,
): { readonly [K in keyof F]?: Read<F[K]> } {
  const given = query as Readonly<Record<string, string | readonly string[]>>;
  const read: Record<string, unknown> = {};
  for (const [name, reader] of Object.entries(known)) {
    if (!Object.hasOwn(given, name)) continue;
    for (const value of [given[name]].flat()) read[name] = reader.read(value, placeOf(name));
  }
  return read as { readonly [K in keyof F]?: Read<F[K]> };
}
