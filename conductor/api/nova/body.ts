/**
 * Readers of what a request brings: a value of unknown shape in, the checked value out, or invalidParameter in the
 * words of Nova's schemas. What Nova takes in two forms, such as numbers as text, comes out in one.
 *
 *   const CREATE = object({ flavor: object({ name, ram: integer(1), description: since(55, optional(...)) }) });
 *   const { flavor } = readBody(request, CREATE);
 *
 * Fields that an object does not list, or not in the microversion of the request, are refused; in the API before
 * microversions they are passed over. No value that an object or list holds is repeated in an error.
 */
import type { FastifyRequest } from 'fastify';
import { IngotError } from '../../domain/errors.ts';
import { quote } from './quote.ts';

/** Where a value stands. */
interface Place {
  readonly minor: number;
  /** Throws: what is wrong with the value. */
  refuse(value: unknown, message: string): never;
  /** The place of a field or item. */
  inside(name: string | number): Place;
}

export interface Reader<T> {
  read(value: unknown, at: Place): T;
}

export interface OptionalReader<T> extends Reader<T> {
  readonly isOptional: true;
  readonly since?: number;
  readonly until?: number;
}

type Fields = Readonly<Record<string, Reader<unknown>>>;
type OptionalKeys<F extends Fields> = {
  [K in keyof F]: F[K] extends OptionalReader<unknown> ? K : never;
}[keyof F];
type ValueOf<R> = R extends Reader<infer T> ? T : never;

export type ObjectOf<F extends Fields> = {
  readonly [K in Exclude<keyof F, OptionalKeys<F>>]: ValueOf<F[K]>;
} & { readonly [K in OptionalKeys<F>]?: ValueOf<F[K]> };

export const MAX_INTEGER = 0x7fffffff;
const ANYWHERE = { isOptional: false, since: 0, until: Number.POSITIVE_INFINITY };

export const optional = <T>(reader: Reader<T>): OptionalReader<T> => ({ ...reader, isOptional: true });
/** From this microversion on. */
export const since = <T>(minor: number, reader: OptionalReader<T>): OptionalReader<T> => ({
  ...reader,
  since: minor,
});
/** Up to this microversion. */
export const until = <T>(minor: number, reader: OptionalReader<T>): OptionalReader<T> => ({
  ...reader,
  until: minor,
});

export function object<F extends Fields>(fields: F): Reader<ObjectOf<F>> {
  const known = Object.entries(fields).map(([name, reader]) => ({ ...ANYWHERE, ...reader, name }));
  const byName = new Map(known.map((field) => [field.name, field]));
  return {
    read(value, at) {
      if (!isObject(value)) return at.refuse(value, `${quote(value)} is not of type 'object'`);
      const isKnown = (name: string) => {
        const field = byName.get(name);
        return field !== undefined && Math.max(at.minor, 1) >= field.since && at.minor <= field.until;
      };
      const unknown = Object.keys(value).filter((name) => !isKnown(name));
      if (unknown.length > 0 && at.minor > 0) at.refuse(value, unexpected(unknown));
      const read: Record<string, unknown> = {};
      for (const { name, isOptional, read: readField } of known) {
        if (Object.hasOwn(value, name) && isKnown(name)) read[name] = readField(value[name], at.inside(name));
        else if (!isOptional) at.refuse(value, `'${name}' is a required property`);
      }
      return read as ObjectOf<F>;
    },
  };
}

/** An object whose keys are the caller's. */
export function dictionary<T>(key: RegExp, item: Reader<T>): Reader<Readonly<Record<string, T>>> {
  return {
    read(value, at) {
      if (!isObject(value)) return at.refuse(value, `${quote(value)} is not of type 'object'`);
      const wrong = Object.keys(value).filter((name) => !key.test(name));
      if (wrong.length > 0) at.refuse(value, unexpected(wrong));
      return Object.fromEntries(
        Object.entries(value).map(([name, one]) => [name, item.read(one, at.inside(name))]),
      );
    },
  };
}

export function list<T>(item: Reader<T>, limits: { min?: number; max?: number } = {}): Reader<readonly T[]> {
  const { min = 0, max = Number.POSITIVE_INFINITY } = limits;
  return {
    read(value, at) {
      if (!Array.isArray(value)) return at.refuse(value, `${quote(value)} is not of type 'array'`);
      if (value.length < min) at.refuse(value, `${quote(value)} is too short`);
      if (value.length > max) at.refuse(value, `${quote(value)} is too long`);
      return value.map((one, index) => item.read(one, at.inside(index)));
    },
  };
}

export interface TextLimits {
  readonly min?: number;
  readonly max?: number;
  readonly pattern?: RegExp;
}

export function text({ min = 0, max = Number.POSITIVE_INFINITY, pattern }: TextLimits = {}): Reader<string> {
  return {
    read(value, at) {
      if (typeof value !== 'string') return at.refuse(value, `${quote(value)} is not of type 'string'`);
      if (value.length < min) at.refuse(value, `${quote(value)} is too short`);
      if (value.length > max) at.refuse(value, `${quote(value)} is too long`);
      if (pattern?.test(value) === false)
        at.refuse(value, `${quote(value)} does not match '${pattern.source}'`);
      return value;
    },
  };
}

/** A text that no error repeats. */
export const secret: Reader<string> = {
  read: (value, at) =>
    typeof value === 'string' ? value : at.refuse('***', "the value is not of type 'string'"),
};

/** A whole number, also as text. */
export function integer(min = 0, max = MAX_INTEGER): Reader<number> {
  return {
    read(value, at) {
      const isText = typeof value === 'string';
      if (!isText && !Number.isInteger(value))
        return at.refuse(value, `${quote(value)} is not of type 'integer', 'string'`);
      if (isText && !/^[0-9]+$/.test(value))
        return at.refuse(value, `${quote(value)} does not match '^[0-9]+$'`);
      const number = Number(value);
      if (number < min) at.refuse(value, `${quote(value)} is less than the minimum of ${min}`);
      if (number > max) at.refuse(value, `${quote(value)} is greater than the maximum of ${max}`);
      return number;
    },
  };
}

export function oneOf<const V extends string>(values: readonly V[]): Reader<V> {
  return {
    read: (value, at) =>
      values.find((one) => one === value) ??
      at.refuse(value, `${quote(value)} is not one of [${values.map((one) => quote(one)).join(', ')}]`),
  };
}

export function nullable<T>(reader: Reader<T>): Reader<T | null> {
  return { read: (value, at) => (value === null ? null : reader.read(value, at)) };
}

const TRUE = ['True', 'TRUE', 'true', '1', 'ON', 'On', 'on', 'YES', 'Yes', 'yes'];
const FALSE = ['False', 'FALSE', 'false', '0', 'OFF', 'Off', 'off', 'NO', 'No', 'no'];

/** A flag, also as one of Nova's words for it. */
export const boolean: Reader<boolean> = {
  read(value, at) {
    if (typeof value === 'boolean') return value;
    if (TRUE.includes(value as string)) return true;
    if (FALSE.includes(value as string)) return false;
    return at.refuse(value, `${quote(value)} is not one of [True, 'True', 'true', '1', False, ...]`);
  },
};

const UUID = /^[0-9a-f]{8}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{12}$/i;

export const uuid: Reader<string> = {
  read: (value, at) =>
    typeof value === 'string' && UUID.test(value)
      ? value
      : at.refuse(value, `${quote(value)} is not a 'uuid'`),
};

const PRINTABLE = /^[^\p{C}\p{Zl}\p{Zp}]*$/u;
const NAME = /^(?![\p{Z}\p{C}])[^\p{C}\p{Zl}\p{Zp}]*(?<![\p{Z}\p{C}])$/u;

/** A name as Nova's resources have it: 1 to 255 printable characters, no space at its ends; some have more rules. */
export function named(more?: { readonly pattern: RegExp; readonly rule: string }): Reader<string> {
  const plain = text({ min: 1, max: 255 });
  const refuse = (rule: string): never => {
    throw new IngotError(
      'invalidParameter',
      `An invalid 'name' value was provided. The name must be: ${rule}`,
    );
  };
  return {
    read(value, at) {
      // the API before microversions takes spaces around a name and drops them
      const name = plain.read(at.minor === 0 && typeof value === 'string' ? value.trim() : value, at);
      if (!NAME.test(name)) refuse('printable characters. Can not start or end with whitespace.');
      if (more?.pattern.test(name) === false) refuse(more.rule);
      return name;
    },
  };
}

/** A text without control characters. */
export const printable = (max: number): Reader<string> => text({ max, pattern: PRINTABLE });

/** Metadata of servers, extra specs and their like. */
export const METADATA_KEY = /^[a-zA-Z0-9-_:. ]{1,255}$/;

/** The body by a schema. Throws invalidParameter. */
export function readBody<T>({ body, minor }: FastifyRequest, schema: Reader<T>): T {
  const at = (field: string | undefined): Place => ({
    minor,
    inside: (name) => at(String(name)),
    refuse(value, message) {
      const where =
        field === undefined
          ? ''
          : `Invalid input for field/attribute ${field.slice(0, 64)}. Value: ${quote(value, '')}. `;
      throw new IngotError('invalidParameter', `${where}${message}`);
    },
  });
  return schema.read(body ?? null, at(undefined));
}

/** First microversion that refuses what a query should not have. */
const STRICT_QUERIES = 75;

/**
 * The query by its arguments; of an argument given more than once all are checked and the last one counts.
 * @param strictSince first microversion where other arguments are refused, not passed over
 */
export function readQuery<F extends Fields>(
  { query, minor }: FastifyRequest,
  known: F,
  strictSince = STRICT_QUERIES,
): { readonly [K in keyof F]?: ValueOf<F[K]> } {
  const given = query as Readonly<Record<string, string | readonly string[]>>;
  const others = Object.keys(given).filter((name) => !Object.hasOwn(known, name));
  if (others.length > 0 && minor >= strictSince) {
    throw new IngotError('invalidParameter', unexpected(others));
  }
  const read: Record<string, unknown> = {};
  for (const [name, reader] of Object.entries(known)) {
    if (!Object.hasOwn(given, name)) continue;
    const at: Place = {
      minor,
      inside: () => at,
      refuse(value, message) {
        throw new IngotError(
          'invalidParameter',
          `Invalid input for query parameters ${name}. Value: ${quote(value, '')}. ${message}`,
        );
      },
    };
    for (const value of [given[name]].flat()) read[name] = reader.read(value, at);
  }
  return read as { readonly [K in keyof F]?: ValueOf<F[K]> };
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function unexpected(names: readonly string[]): string {
  const shown = names.slice(0, 5).map((name) => quote(name));
  return `Additional properties are not allowed (${shown.join(', ')} ${names.length === 1 ? 'was' : 'were'} unexpected)`;
}
