/**
 * Requests to Nova's API: bodies and queries, errors with the texts of Nova's schemas, and types of values that only
 * Nova has.
 *
 * Fields that are newer than the microversion of the request are rejected; in the API before microversions they are
 * ignored. Errors never repeat a value inside of an object or list.
 */
import type { FastifyRequest } from 'fastify';
import { IngotError } from '../../domain/errors.ts';
import { quote } from '../kit/quote.ts';
import {
  type Fault,
  type Fields,
  type Place,
  type Read,
  type Reader,
  readArguments,
  text,
  type Words,
  wordsOf,
} from '../kit/readers.ts';

/** The texts of Python's jsonschema. */
const WORDS: Words = {
  type: (value, { types }) => `${quote(value)} is not of type ${types.map((type) => quote(type)).join(', ')}`,
  required: (_, { name }) => `'${name}' is a required property`,
  unexpected: (_, { names }) => unexpected(names),
  short: (value) => `${quote(value)} is too short`,
  long: (value) => `${quote(value)} is too long`,
  pattern: (value, { source }) => `${quote(value)} does not match '${source}'`,
  range: (value, { min, max }) =>
    Number(value) < min
      ? `${quote(value)} is less than the minimum of ${min}`
      : `${quote(value)} is greater than the maximum of ${max}`,
  choice: (value, { choices }) =>
    `${quote(value)} is not one of [${choices.map((one) => quote(one)).join(', ')}]`,
  format: (value, { format }) => `${quote(value)} is not a '${format}'`,
};

function unexpected(names: readonly string[]): string {
  const shown = names.slice(0, 5).map((name) => quote(name));
  return `Additional properties are not allowed (${shown.join(', ')} ${names.length === 1 ? 'was' : 'were'} unexpected)`;
}

/** @param where the beginning of the error text, which names the value */
const refusing =
  (where: (value: unknown) => string) =>
  (value: unknown, fault: Fault | string): never => {
    throw new IngotError('invalidParameter', `${where(value)}${wordsOf(WORDS, value, fault)}`);
  };

/** Reads the body. Throws invalidParameter. */
export function readBody<T>({ body, minor }: FastifyRequest, schema: Reader<T>): T {
  const at = (field: string | undefined): Place => ({
    minor,
    isLenient: minor === 0,
    inside: (name) => at(String(name)),
    refuse: refusing((value) =>
      field === undefined
        ? ''
        : `Invalid input for field/attribute ${field.slice(0, 64)}. Value: ${quote(value, '')}. `,
    ),
  });
  return schema.read(body ?? null, at(undefined));
}

/** First microversion that rejects unknown arguments of a query. */
const STRICT_QUERIES = 75;

/**
 * Reads the query.
 * @param strictSince first microversion in which unknown arguments are rejected, not ignored
 */
export function readQuery<F extends Fields>(
  { query, minor }: FastifyRequest,
  known: F,
  strictSince = STRICT_QUERIES,
): { readonly [K in keyof F]?: Read<F[K]> } {
  const others = Object.keys(query as object).filter((name) => !Object.hasOwn(known, name));
  if (others.length > 0 && minor >= strictSince) throw new IngotError('invalidParameter', unexpected(others));
  return readArguments(query, known, (name) => {
    const at: Place = {
      minor,
      isLenient: minor === 0,
      inside: () => at,
      refuse: refusing((value) => `Invalid input for query parameters ${name}. Value: ${quote(value, '')}. `),
    };
    return at;
  });
}

const UUID = /^[0-9a-f]{8}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{12}$/i;

/** Nova also accepts a UUID without dashes. */
export const uuid: Reader<string> = {
  schema: { type: 'string', format: 'uuid' },
  read: (value, at) =>
    typeof value === 'string' && UUID.test(value)
      ? value
      : at.refuse(value, { kind: 'format', format: 'uuid' }),
};

const TRUE = ['True', 'TRUE', 'true', '1', 'ON', 'On', 'on', 'YES', 'Yes', 'yes'];
const FALSE = ['False', 'FALSE', 'false', '0', 'OFF', 'Off', 'off', 'NO', 'No', 'no'];

/** A boolean, also as one of Nova's texts for it. */
export const boolean: Reader<boolean> = {
  schema: { enum: [true, false, ...TRUE, ...FALSE] },
  read(value, at) {
    if (typeof value === 'boolean') return value;
    if (TRUE.includes(value as string)) return true;
    if (FALSE.includes(value as string)) return false;
    return at.refuse(value, `${quote(value)} is not one of [True, 'True', 'true', '1', False, ...]`);
  },
};

const PRINTABLE = /^[^\p{C}\p{Zl}\p{Zp}]*$/u;
const NAME = /^(?![\p{Z}\p{C}])[^\p{C}\p{Zl}\p{Zp}]*(?<![\p{Z}\p{C}])$/u;

/** A name of Nova's resources: 1 to 255 printable characters, no spaces at the ends; some have more rules. */
export function named(more?: { readonly pattern: RegExp; readonly rule: string }): Reader<string> {
  const plain = text({ min: 1, max: 255 });
  const refuse = (rule: string): never => {
    throw new IngotError(
      'invalidParameter',
      `An invalid 'name' value was provided. The name must be: ${rule}`,
    );
  };
  return {
    schema: more === undefined ? plain.schema : { ...plain.schema, pattern: more.pattern.source },
    read(value, at) {
      // the API before microversions takes spaces around a name and drops them
      const name = plain.read(at.isLenient && typeof value === 'string' ? value.trim() : value, at);
      if (!NAME.test(name)) refuse('printable characters. Can not start or end with whitespace.');
      if (more?.pattern.test(name) === false) refuse(more.rule);
      return name;
    },
  };
}

/** A text without control characters. */
export const printable = (max: number): Reader<string> => text({ max, pattern: PRINTABLE });

/** Keys of server metadata, extra specs and similar. */
export const METADATA_KEY = /^[a-zA-Z0-9-_:. ]{1,255}$/;
