/** JSON as data, for what the wire leaves open (driver_info, properties, extra, step arguments). */
export type Json = null | boolean | number | string | readonly Json[] | JsonObject;
export interface JsonObject {
  readonly [key: string]: Json;
}

export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** A string as it is, anything else as JSON: `String` throws for an object with a `toString` of its own. */
export const textOf = (value: Json): string => (typeof value === 'string' ? value : JSON.stringify(value));
