/**
 * Inspection data: `POST /v1/continue_inspection` with `{inventory, ...}`; everything besides the inventory is plugin
 * data. The answer is `{uuid}`, or the answer of a lookup from API 1.84 on.
 */
import { bad, type Decoded, good } from '../decoded.ts';
import { isJsonObject, type JsonObject } from '../json.ts';
import type { Inventory } from './inventory.ts';

/** What our agent sends. */
export interface Inspection {
  readonly inventory: Inventory;
  /** `BOOTIF` of the kernel command line. */
  readonly bootInterface: string | null;
  readonly collectors: readonly string[];
  /** base64 of a gzipped tar; null when the logs could not be collected, undefined when they were not requested. */
  readonly logs?: string | null;
  /** Errors of the collection. */
  readonly error?: string;
}

export function encodeInspection(data: Inspection): Readonly<Record<string, unknown>> {
  return {
    inventory: data.inventory,
    boot_interface: data.bootInterface,
    configuration: { collectors: data.collectors, managers: [] },
    ...(data.error === undefined ? {} : { error: data.error }),
    ...(data.logs === undefined ? {} : { logs: data.logs }),
  };
}

/** What a conductor stores of it. */
export interface DecodedInspection {
  readonly inventory: JsonObject;
  readonly pluginData: JsonObject;
}

export function decodeInspection(body: unknown): Decoded<DecodedInspection> {
  if (!isJsonObject(body) || !isJsonObject(body['inventory'])) {
    return bad('Inspection data must be an object with an "inventory" object');
  }
  const { inventory: _, ...pluginData } = body;
  return good({ inventory: body['inventory'], pluginData });
}

/** The answer before API 1.84. */
export function encodeInspectionAnswer(nodeUuid: string): JsonObject {
  return { uuid: nodeUuid };
}

/** The node's uuid, from an answer of either form; null when the answer does not contain it. */
export function decodeInspectionAnswer(body: unknown): string | null {
  if (!isJsonObject(body)) return null;
  const { node } = body;
  const uuid = body['uuid'] ?? (isJsonObject(node) ? node['uuid'] : undefined);
  return typeof uuid === 'string' ? uuid : null;
}
