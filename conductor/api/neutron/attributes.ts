/**
 * What the attributes of a resource may hold, as data: one row per name on the wire says how its value is read, when it
 * may be set and by whom.
 */
import { parseFlag } from '@ingot/shared/ironic/field-values.ts';
import { isUuid } from '@ingot/shared/ironic/identifiers.ts';
import { canonicalAddress } from '../../domain/ip-address.ts';
import { isJsonObject } from '../../domain/json.ts';
import { parseUnicastMac } from '../../network-service/mac-address.ts';

/** Thrown by a parser: why the value does not fit, for "Invalid input for X. Reason: ...". */
export class Unfit extends Error {}

export type Parser = (value: unknown) => unknown;

export interface Attribute {
  /** Name of the field inside. */
  readonly field: string;
  readonly parse: Parser;
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

export const text: Parser = (value) => {
  if (typeof value !== 'string') throw new Unfit(`${show(value)} is not a valid string`);
  if (value.length > MAX_TEXT) throw new Unfit(`'${value.slice(0, 32)}...' exceeds maximum length of 255`);
  // Control characters have no place in names, logs and terminals.
  if (/[\u0000-\u001f\u007f]/.test(value)) throw new Unfit('it holds control characters');
  return value;
};

export const flag: Parser = (value) => {
  const parsed = typeof value === 'boolean' ? value : parseFlag(String(value));
  if (parsed === undefined || isJsonObject(value) || Array.isArray(value))
    throw new Unfit(`${show(value)} cannot be converted to boolean`);
  return parsed;
};

export const integer =
  (min: number, max: number): Parser =>
  (value) => {
    const number = typeof value === 'string' && /^-?\d{1,9}$/.test(value) ? Number(value) : value;
    if (typeof number !== 'number' || !Number.isInteger(number))
      throw new Unfit(`${show(value)} is not an integer`);
    if (number < min || number > max) throw new Unfit(`${number} is not in the range ${min} to ${max}`);
    return number;
  };

export const oneOf =
  (...known: readonly (string | number)[]): Parser =>
  (value) => {
    const found = known.find((one) => one === value || String(one) === value);
    if (found === undefined) throw new Unfit(`${show(value)} is not in [${known.join(', ')}]`);
    return found;
  };

export const uuid: Parser = (value) => {
  if (typeof value !== 'string' || !isUuid(value)) throw new Unfit(`${show(value)} is not a valid UUID`);
  return value.toLowerCase();
};

export const address: Parser = (value) => {
  const found = typeof value === 'string' ? canonicalAddress(value) : undefined;
  if (found === undefined) throw new Unfit(`${show(value)} is not a valid IP address`);
  return found;
};

export const mac: Parser = (value) => {
  const found = typeof value === 'string' ? parseUnicastMac(value) : undefined;
  if (found === undefined) throw new Unfit(`${show(value)} is not a valid MAC address`);
  return found;
};

export const orNull =
  (parse: Parser): Parser =>
  (value) =>
    value === null ? null : parse(value);

/** Null is an empty list, as for Neutron. */
export const listOf =
  (parse: Parser, max: number): Parser =>
  (value) => {
    if (value === null) return [];
    if (!Array.isArray(value)) throw new Unfit(`${show(value)} is not a list`);
    if (value.length > max) throw new Unfit(`it has ${value.length} items, and ${max} are the most`);
    const items = value.map((item) => parse(item));
    const keys = items.map((item) => JSON.stringify(item));
    if (new Set(keys).size < keys.length) throw new Unfit(`Duplicate items in the list: ${show(value)}`);
    return items;
  };

/** An object with these keys and no others; those that end in `?` may be left out. */
export const objectOf =
  (keys: Readonly<Record<string, readonly [field: string, parse: Parser]>>): Parser =>
  (value) => {
    if (!isJsonObject(value)) throw new Unfit(`${show(value)} is not a dictionary`);
    const rows = Object.entries(keys).map(([key, [field, parse]]) => ({
      ...{ name: key.replace('?', ''), isOptional: key.endsWith('?'), field, parse },
    }));
    const unknown = Object.keys(value).filter((key) => rows.every(({ name }) => name !== key));
    if (unknown.length > 0) throw new Unfit(`it has unexpected keys: ${unknown.join(', ').slice(0, 100)}`);
    return Object.fromEntries(
      rows.flatMap(({ name, isOptional, field, parse }) => {
        const given = value[name];
        if (given !== undefined) return [[field, parse(given)]];
        if (isOptional) return [];
        throw new Unfit(`it needs ${name}`);
      }),
    );
  };

export const dictionary: Parser = (value) => {
  if (!isJsonObject(value)) throw new Unfit(`${show(value)} is not a dictionary`);
  if (JSON.stringify(value).length > 4095) throw new Unfit('it exceeds 4095 characters');
  return value;
};

/** What is not there may only be asked for as what it is. */
export const always =
  (only: unknown, why: string): Parser =>
  (value) => {
    if (JSON.stringify(value) !== JSON.stringify(only)) throw new Unfit(`${show(value)}: ${why}`);
    return undefined;
  };

const tag: Parser = (value) => {
  if (typeof value !== 'string' || value === '' || value.length > MAX_TAG || /[,/]/.test(value))
    throw new Unfit(`${show(value)} is no tag: 1 to ${MAX_TAG} characters without "," and "/"`);
  return text(value);
};
export const tags: Parser = listOf(tag, MAX_TAGS);
