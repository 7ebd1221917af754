/**
 * Capabilities that a node has (`properties.capabilities`) or an instance asks for (`instance_info.capabilities`).
 */
import { isJsonObject } from './json.ts';
import type { BootMode } from './node.ts';

/** The text `k:v,k2:v2`, an object, or an object in a JSON string. */
export function parseCapabilities(value: unknown): Map<string, string> {
  const object = isJsonObject(value) ? value : objectIn(value);
  if (object === undefined) return parseCapabilityText(value);
  return new Map(Object.entries(object).map(([key, one]) => [key, String(one)]));
}

/** Only the text `k:v,k2:v2`, as Nova reads it from a node. Parts without a colon are ignored. */
export function parseCapabilityText(value: unknown): Map<string, string> {
  const parts = typeof value === 'string' ? value.split(',') : [];
  return new Map(
    parts.flatMap((part): [string, string][] => {
      const colon = part.indexOf(':');
      return colon < 1 ? [] : [[part.slice(0, colon).trim(), part.slice(colon + 1).trim()]];
    }),
  );
}

/** The capability `boot_mode`, if it is `uefi` or `bios`. */
export function bootModeIn(capabilities: ReadonlyMap<string, string>): BootMode | undefined {
  const mode = capabilities.get('boot_mode');
  return mode === 'uefi' || mode === 'bios' ? mode : undefined;
}

function objectIn(text: unknown): object | undefined {
  if (typeof text !== 'string' || !text.trimStart().startsWith('{')) return undefined;
  try {
    const parsed: unknown = JSON.parse(text);
    return isJsonObject(parsed) ? parsed : undefined;
  } catch {
    return undefined;
  }
}
