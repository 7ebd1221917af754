/**
 * Writes values into error texts as OpenStack does: in Python's notation.
 */

const MAX_LENGTH = 64;

/** Long strings are shortened. The content of objects and lists is not shown, because it may have secrets. */
export function quote(value: unknown, mark = "'"): string {
  if (value === null || value === undefined) return 'None';
  if (value === true) return 'True';
  if (value === false) return 'False';
  if (Array.isArray(value)) return value.length === 0 ? '[]' : '[...]';
  if (typeof value === 'object') return Object.keys(value).length === 0 ? '{}' : '{...}';
  if (typeof value !== 'string') return String(value);
  const short = value.length > MAX_LENGTH ? `${value.slice(0, MAX_LENGTH)}...` : value;
  return `${mark}${short}${mark}`;
}
