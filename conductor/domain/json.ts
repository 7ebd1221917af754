/** JSON as data, for the dictionaries the wire leaves open (driver_info, properties, extra, step arguments). */
export { isJsonObject, type Json, type JsonObject } from '@ingot/shared/json.ts';
