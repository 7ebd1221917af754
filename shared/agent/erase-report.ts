/**
 * What a step that erases disks reports: each erased disk by its device path, as ironic-python-agent's `erase_devices`
 * does. Our agent adds serial number and WWN, because a path may name another disk after a reboot.
 */
import { isJsonObject, type Json, type JsonObject } from '../json.ts';
import type { InventoryDisk } from './inventory.ts';
import { isName } from './limits.ts';
import type { StepExtension } from './steps.ts';

export type ErasedDisk = Pick<InventoryDisk, 'name' | 'serial' | 'wwn'>;

const MOST_DISKS = 1024;
/** Steps whose results are such reports. ironic-python-agent reports only for the first one. */
const ERASE_STEPS = ['erase_devices', 'erase_devices_metadata', 'erase_devices_express'];

export const reportsErasing = (step: string): boolean => ERASE_STEPS.includes(step);

export function encodeEraseReport(disks: readonly ErasedDisk[]): JsonObject {
  return Object.fromEntries(disks.map(({ name, serial, wwn }) => [name, { serial, wwn }]));
}

/** The disks that the result of a step reports. */
export function decodeEraseReport(extension: StepExtension, result: Json): ErasedDisk[] {
  const report = isJsonObject(result) ? result[`${extension}_result`] : undefined;
  if (!isJsonObject(report)) return [];
  const entries = Object.entries(report).filter(([name]) => isName(name));
  return entries.slice(0, MOST_DISKS).map(([name, disk]) => {
    const { serial = null, wwn = null } = isJsonObject(disk) ? disk : {};
    return { name, serial: isName(serial) ? serial : null, wwn: isName(wwn) ? wwn : null };
  });
}
