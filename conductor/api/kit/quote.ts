/**
 * Values in error texts, written as OpenStack writes them, which is as Python does.
 */

const MAX_LENGTH = 64;

/** Strings shortened; of objects and lists only that they are some: they may hold what is not to be shown. */
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
