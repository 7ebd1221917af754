/**
 * Whether an automated clean has erased every disk that the last inspection found. Pure.
 */
import { decodeEraseReport, type ErasedDisk, reportsErasing } from '@ingot/shared/agent/erase-report.ts';
import type { InventoryDisk } from '@ingot/shared/agent/inventory.ts';
import { firstMismatch, type Hint, parseHints } from '@ingot/shared/ironic/disk-hints.ts';
import { isJsonObject, type Json, type JsonObject } from './json.ts';
import type { Operation } from './operations.ts';

/** Where a step remembers which disks it erased. */
const ERASED = 'erased';

const SKIP_FIELD = 'properties.skip_block_devices';
/** Software RAID; its disks count. */
const IS_VOLUME = /^\/dev\/md/;

/** What a step of an agent has to remember of its result. */
export function eraseMemo(step: string, result: Json): JsonObject | undefined {
  return reportsErasing(step)
    ? { [ERASED]: decodeEraseReport('clean', result).map((disk) => ({ ...disk })) }
    : undefined;
}

/** `/dev/sdb (serial S2)` for every disk of the inventory that no step has erased and that is not on the skip list. */
export function unerasedDisks(
  operation: Pick<Operation, 'steps'>,
  inventory: JsonObject,
  properties: JsonObject,
): string[] {
  const erased = operation.steps.flatMap(
    ({ memo }) => (memo[ERASED] ?? []) as unknown as readonly ErasedDisk[],
  );
  const skipped = skipList(properties['skip_block_devices']);
  return disksOf(inventory)
    .filter((disk) => !IS_VOLUME.test(disk.name))
    .filter((disk) => !skipped.some((hints) => firstMismatch(disk, hints) === undefined))
    .filter((disk) => !erased.some((one) => isSame(one, disk)))
    .map(({ name, serial }) => `${name} (serial ${serial ?? 'unknown'})`);
}

/** A path may name another disk after a reboot, so it counts only when there is nothing better. */
function isSame(a: ErasedDisk, b: ErasedDisk): boolean {
  if (a.wwn !== null && b.wwn !== null) return a.wwn === b.wwn;
  if (a.serial !== null && b.serial !== null) return a.serial === b.serial;
  return a.name === b.name;
}

/** Names of RAID volumes are no hints for disks. */
function skipList(list: Json | undefined): (readonly Hint[])[] {
  const entries = Array.isArray(list) ? (list as readonly Json[]).filter(isJsonObject) : [];
  return entries
    .filter((entry) => Object.keys(entry).length > 0 && !('volume_name' in entry))
    .map((entry) => parseHints(entry, SKIP_FIELD));
}

/** The disks of an inventory as it is stored; what is missing is unknown. */
function disksOf({ disks = [] }: JsonObject): InventoryDisk[] {
  return (disks as readonly JsonObject[]).map((disk) => ({ ...UNKNOWN, ...disk }));
}

const UNKNOWN: InventoryDisk = {
  name: 'a disk without a name',
  model: '',
  size: 0,
  rotational: false,
  wwn: null,
  serial: null,
  vendor: null,
  wwn_with_extension: null,
  wwn_vendor_extension: null,
  hctl: null,
  by_path: null,
  logical_sectors: 0,
  physical_sectors: 0,
  tran: null,
};
