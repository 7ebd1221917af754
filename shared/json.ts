/**
 * JSON values, for dictionaries whose contents the API does not define (driver_info, properties, extra, step
 * arguments).
 */
export type Json = null | boolean | number | string | readonly Json[] | JsonObject;
export interface JsonObject {
  readonly [key: string]: Json;
}

export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** A string unchanged, anything else as JSON. `String` would throw for an object with its own `toString`. */
export const textOf = (value: Json): string => (typeof value === 'string' ? value : JSON.stringify(value));
