/**
 * Leaves out the disks that must not be erased or written to: `properties.skip_block_devices`, a list of hints.
 */
import type { InventoryDisk } from '@ingot/shared/agent/inventory.ts';
import { firstMismatch, type Hints, parseHints } from '@ingot/shared/ironic/disk-hints.ts';

const FIELD = 'properties.skip_block_devices';

/** The disks that no entry matches. Throws if an entry is invalid, since ignoring it would destroy data. */
export function withoutSkipped<D extends InventoryDisk>(
  disks: readonly D[],
  node: Readonly<Record<string, unknown>>,
): D[] {
  const entries = skipList(node).map(parseEntry);
  return disks.filter((disk) => !entries.some((hints) => firstMismatch(disk, hints) === undefined));
}

function skipList({ properties }: Readonly<Record<string, unknown>>): readonly unknown[] {
  const list =
    typeof properties === 'object' && properties !== null && 'skip_block_devices' in properties
      ? properties.skip_block_devices
      : null;
  if (list === null || list === undefined) return [];
  if (!Array.isArray(list)) throw new Error(`${FIELD} must be a list of objects of hints`);
  return list;
}

function parseEntry(entry: unknown): ReturnType<typeof parseHints> {
  if (typeof entry !== 'object' || entry === null || Array.isArray(entry) || Object.keys(entry).length === 0)
    throw new Error(`${FIELD} holds ${JSON.stringify(entry)}, which is not an object of hints`);
  if ('volume_name' in entry) {
    throw new Error(
      `${FIELD} names the RAID volume ${JSON.stringify(entry.volume_name)}: this agent cannot keep RAID volumes; name its disks instead`,
    );
  }
  return parseHints(entry as Hints, FIELD);
}
