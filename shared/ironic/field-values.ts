/**
 * Kinds of field values: the JSON that each accepts, and the value of a field that was removed.
 */
import { isUuid } from './identifiers.ts';

/**
 *   text      string or null                    word       string, '' instead of null
 *   flag      boolean, also as "yes", "off", …  maybeFlag  the same or null
 *   uuid      UUID or null                      dict       object; null means empty
 *   required  string that can not be null       integer    a whole number that can not be null
 *   strings   list of strings                   objects    list of objects
 *   Others are never written by a client.
 */
export type FieldKind =
  | 'text'
  | 'word'
  | 'flag'
  | 'maybeFlag'
  | 'uuid'
  | 'dict'
  | 'required'
  | 'interface'
  | 'time'
  | 'list'
  | 'integer'
  | 'strings'
  | 'objects'
  | 'derived';

export type FieldValue =
  | string
  | number
  | boolean
  | null
  | readonly unknown[]
  | Readonly<Record<string, unknown>>;
export type ParsedField =
  | { readonly ok: true; readonly value: FieldValue }
  | { readonly ok: false; readonly reason: string };

const TRUE = ['1', 't', 'true', 'on', 'y', 'yes'];
const FALSE = ['0', 'f', 'false', 'off', 'n', 'no'];

/** Booleans in OpenStack's spellings; undefined for anything else. */
export function parseFlag(value: unknown): boolean | undefined {
  if (typeof value === 'boolean') return value;
  if (typeof value !== 'string') return undefined;
  const text = value.trim().toLowerCase();
  return TRUE.includes(text) ? true : FALSE.includes(text) ? false : undefined;
}

const EMPTY: Readonly<Partial<Record<FieldKind, FieldValue>>> = {
  word: '',
  flag: false,
  dict: {},
  strings: [],
  objects: [],
};

/** The value of a field of this kind without input. */
export const emptyValue = (kind: FieldKind): FieldValue => EMPTY[kind] ?? null;

const good = (value: FieldValue): ParsedField => ({ ok: true, value });
const bad = (reason: string): ParsedField => ({ ok: false, reason });

/** The stored form of a value from a request body. */
export function parseFieldValue(kind: FieldKind, value: unknown, maxLength = 255): ParsedField {
  if (value === null || value === undefined) {
    if (kind === 'required') return bad('must be a string');
    return kind === 'integer' ? bad('must be an integer') : good(emptyValue(kind));
  }
  switch (kind) {
    case 'flag':
    case 'maybeFlag': {
      const flag = parseFlag(value);
      return flag === undefined ? bad('must be a boolean') : good(flag);
    }
    case 'dict':
      return isObject(value) ? good(value) : bad('must be an object');
    case 'integer':
      return Number.isSafeInteger(value) ? good(value as number) : bad('must be an integer');
    case 'strings':
      return listOf(value, (item) => typeof item === 'string' && item.length <= maxLength, 'strings');
    case 'objects':
      return listOf(value, isObject, 'objects');
    case 'uuid':
      return typeof value === 'string' && isUuid(value) ? good(value.toLowerCase()) : bad('must be a UUID');
    default:
      if (typeof value !== 'string') return bad('must be a string');
      if (value.length > maxLength) return bad(`must have at most ${maxLength} characters`);
      if (kind === 'required' && value === '') return bad('must not be empty');
      return good(value);
  }
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const listOf = (value: unknown, fits: (item: unknown) => boolean, what: string): ParsedField =>
  Array.isArray(value) && value.every(fits) ? good(value) : bad(`must be a list of ${what}`);
