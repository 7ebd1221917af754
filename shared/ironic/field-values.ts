/**
 * Kinds of field values: what JSON may stand for each, and what a field is when it is taken away.
 */
import { isUuid } from './identifiers.ts';

/**
 *   text      string or null                    word       string, '' instead of null
 *   flag      boolean, also as "yes", "off", …  maybeFlag  the same or null
 *   uuid      UUID or null                      dict       object; null means empty
 *   required  string that can not be null       others are never written by a client
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
  | 'derived';

export type FieldValue = string | boolean | null | Readonly<Record<string, unknown>>;
export type ParsedField =
  | { readonly ok: true; readonly value: FieldValue }
  | { readonly ok: false; readonly reason: string };

const TRUE = ['1', 't', 'true', 'on', 'y', 'yes'];
const FALSE = ['0', 'f', 'false', 'off', 'n', 'no'];

/** Booleans as OpenStack writes them; undefined for anything else. */
export function parseFlag(value: unknown): boolean | undefined {
  if (typeof value === 'boolean') return value;
  if (typeof value !== 'string') return undefined;
  const text = value.trim().toLowerCase();
  return TRUE.includes(text) ? true : FALSE.includes(text) ? false : undefined;
}

const EMPTY: Readonly<Partial<Record<FieldKind, FieldValue>>> = { word: '', flag: false, dict: {} };

/** What a field of this kind holds when nothing was given. */
export const emptyValue = (kind: FieldKind): FieldValue => EMPTY[kind] ?? null;

const good = (value: FieldValue): ParsedField => ({ ok: true, value });
const bad = (reason: string): ParsedField => ({ ok: false, reason });

/** A value from a request body, made what is stored. */
export function parseFieldValue(kind: FieldKind, value: unknown, maxLength = 255): ParsedField {
  if (value === null || value === undefined) {
    return kind === 'required' ? bad('must be a string') : good(emptyValue(kind));
  }
  switch (kind) {
    case 'flag':
    case 'maybeFlag': {
      const flag = parseFlag(value);
      return flag === undefined ? bad('must be a boolean') : good(flag);
    }
    case 'dict':
      return typeof value === 'object' && !Array.isArray(value)
        ? good(value as Record<string, unknown>)
        : bad('must be an object');
    case 'uuid':
      return typeof value === 'string' && isUuid(value) ? good(value.toLowerCase()) : bad('must be a UUID');
    default:
      if (typeof value !== 'string') return bad('must be a string');
      if (value.length > maxLength) return bad(`must have at most ${maxLength} characters`);
      if (kind === 'required' && value === '') return bad('must not be empty');
      return good(value);
  }
}
