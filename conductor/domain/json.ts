/**
 * JSON values, for the dictionaries whose contents the API does not define (driver_info, properties, extra, step
 * arguments).
 */
export { isJsonObject, type Json, type JsonObject } from '@ingot/shared/json.ts';
