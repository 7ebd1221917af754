/**
 * `network_data` of a node: the network configuration that the machine gets, in OpenStack's form (`{links: [...],
 * networks: [...], services: [...]}`). Pure.
 */
import { IngotError } from './errors.ts';
import { isJsonObject, type Json, type JsonObject } from './json.ts';

/** The lists, and the keys that each of their entries must have. */
const LISTS: Readonly<Record<string, readonly string[]>> = {
  links: ['id', 'type'],
  networks: ['id', 'link', 'type'],
  services: ['type', 'address'],
};
const REQUIRED = ['links', 'networks'];

/** Throws invalidParameter naming the list, the index of the entry and the key. `{}` means none. */
export function checkNetworkData(data: JsonObject | undefined): void {
  if (data === undefined || Object.keys(data).length === 0) return;
  const unknown = Object.keys(data).find((name) => !Object.hasOwn(LISTS, name));
  if (unknown !== undefined) throw wrong(`"${unknown}" is not one of ${Object.keys(LISTS).join(', ')}`);
  const missing = REQUIRED.find((name) => data[name] === undefined);
  if (missing !== undefined) throw wrong(`"${missing}" is missing`);
  for (const [name, keys] of Object.entries(LISTS)) checkList(name, keys, data[name] ?? []);
}

function checkList(name: string, keys: readonly string[], list: Json): void {
  if (!Array.isArray(list)) throw wrong(`"${name}" must be a list`);
  for (const [index, entry] of list.entries()) {
    if (!isJsonObject(entry)) throw wrong(`${name}[${index}] must be an object`);
    const absent = keys.find((key) => typeof entry[key] !== 'string');
    if (absent !== undefined) throw wrong(`${name}[${index}] must have "${absent}", a text`);
  }
}

const wrong = (what: string): IngotError =>
  new IngotError('invalidParameter', `Invalid network_data: ${what}.`);
