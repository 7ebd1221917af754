/**
 * The attributes of resources, as data: for each name on the wire a row says how its value is read, when it may be
 * set and by whom. Errors have Neutron's texts.
 */
import { parseFlag } from '@ingot/shared/ironic/field-values.ts';
import { canonicalAddress } from '../../domain/ip-address.ts';
import { parseUnicastMac } from '../../network-service/mac-address.ts';
import { refused } from '../../network-service/network-error.ts';
import {
  anyObject,
  uuid as anyUuid,
  list,
  mapped,
  nullable,
  oneOf,
  type Place,
  text as plainText,
  prepared,
  type Reader,
  type Words,
  wordsOf,
} from '../kit/readers.ts';

export interface Attribute {
  /** Name of the field of the record. */
  readonly field: string;
  readonly value: Reader<unknown>;
  readonly post?: 'required' | 'optional';
  readonly put?: true;
  /** Set by administrators only. */
  readonly admin?: true;
}

export type Attributes = Readonly<Record<string, Attribute>>;

const show = (value: unknown): string =>
  `'${(typeof value === 'string' ? value : String(JSON.stringify(value))).slice(0, 100)}'`;
const MAX_TEXT = 255;
const MAX_TAG = 255;
const MAX_TAGS = 50;
const MAX_DICTIONARY = 4095;

const TYPES = { object: 'a dictionary', array: 'a list', string: 'a valid string', integer: 'an integer' };

const WORDS: Words = {
  type: (value, { types: [type = 'string'] }) =>
    `${show(value)} is not ${(TYPES as Readonly<Record<string, string>>)[type] ?? type}`,
  required: (_, { name }) => `it needs ${name}`,
  unexpected: (_, { names }) => `it has unexpected keys: ${names.join(', ').slice(0, 100)}`,
  short: (value) => `${show(value)} is too short`,
  long: (value, { limit }) =>
    Array.isArray(value)
      ? `it has ${value.length} items, and ${limit} are the most`
      : `'${String(value).slice(0, 32)}...' exceeds maximum length of ${limit}`,
  pattern: (value) => `${show(value)} is not valid`,
  range: (value, { min, max }) => `${String(value)} is not in the range ${min} to ${max}`,
  choice: (value, { choices }) => `${show(value)} is not in [${choices.join(', ')}]`,
  format: (value) => `${show(value)} is not a valid UUID`,
};

/** Errors name the whole attribute, whatever part of it is wrong. */
export function placeOf(name: string, refuseAs = refused.badRequest): Place {
  const at: Place = {
    minor: 0,
    isLenient: false,
    inside: () => at,
    refuse(value, fault) {
      throw refuseAs(`Invalid input for ${name}. Reason: ${wordsOf(WORDS, value, fault)}.`);
    },
  };
  return at;
}

/** Control characters are not allowed in names, because logs and terminals show them. */
export const text = mapped(plainText({ max: MAX_TEXT }), (value, at) =>
  /[\u0000-\u001f\u007f]/.test(value) ? at.refuse(value, 'it holds control characters') : value,
);

export const flag: Reader<boolean> = {
  schema: { type: ['boolean', 'string', 'integer'] },
  read: (value, at) =>
    (typeof value === 'object' ? undefined : parseFlag(typeof value === 'number' ? String(value) : value)) ??
    at.refuse(value, `${show(value)} cannot be converted to boolean`),
};

/** An integer, also as text. */
export const integer = (min: number, max: number): Reader<number> => ({
  schema: { type: ['integer', 'string'], minimum: min, maximum: max },
  read(value, at) {
    const number = typeof value === 'string' && /^-?\d{1,9}$/.test(value) ? Number(value) : value;
    if (typeof number !== 'number' || !Number.isInteger(number))
      return at.refuse(value, { kind: 'type', types: ['integer'] });
    return number >= min && number <= max ? number : at.refuse(number, { kind: 'range', min, max });
  },
});

/** One of these values; numbers also as text. */
export const choice = <const V extends string | number>(...known: readonly V[]): Reader<V> =>
  prepared((value) => known.find((one) => String(one) === value) ?? value, oneOf(known));

export const uuid = mapped(anyUuid, (value) => value.toLowerCase());

const parsed = (what: string, parse: (text: string) => string | undefined): Reader<string> => ({
  schema: { type: 'string', description: what },
  read: (value, at) =>
    (typeof value === 'string' ? parse(value) : undefined) ??
    at.refuse(value, `${show(value)} is not a valid ${what}`),
});

export const address = parsed('IP address', canonicalAddress);
export const mac = parsed('MAC address', parseUnicastMac);

/** Null is an empty list, as in Neutron. */
export function listOf<T>(item: Reader<T>, max: number): Reader<readonly T[]> {
  const items = mapped(list(item, { max }), (read, at) => {
    const keys = read.map((one) => JSON.stringify(one));
    return new Set(keys).size < keys.length
      ? at.refuse(read, `Duplicate items in the list: ${show(read)}`)
      : read;
  });
  return prepared((value) => value ?? [], { ...items, schema: nullable(items).schema });
}

export const dictionary = mapped(anyObject, (value, at) =>
  JSON.stringify(value).length > MAX_DICTIONARY
    ? at.refuse(value, `it exceeds ${MAX_DICTIONARY} characters`)
    : value,
);

/** A feature that is not supported: only its fixed value is accepted; nothing is stored. */
export const always = (only: unknown, why: string): Reader<undefined> => ({
  schema: { const: only },
  read: (value, at) =>
    JSON.stringify(value) === JSON.stringify(only) ? undefined : at.refuse(value, `${show(value)}: ${why}`),
});

const TAG = `is no tag: 1 to ${MAX_TAG} characters without "," and "/"`;
const tag = prepared(
  (value, at) =>
    typeof value !== 'string' || value === '' || value.length > MAX_TAG || /[,/]/.test(value)
      ? at.refuse(value, `${show(value)} ${TAG}`)
      : value,
  text,
);
export const tags: Reader<readonly string[]> = listOf(tag, MAX_TAGS);
