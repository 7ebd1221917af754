/**
 * Chooses the disk for the operating system. Pure, and independent of the order in which the kernel found the disks.
 */
import type { InventoryDisk } from '@ingot/shared/agent/inventory.ts';
import { firstMismatch, type Hints, parseHints } from '@ingot/shared/ironic/disk-hints.ts';

const GIB = 1024 ** 3;
const SMALLEST = 4 * GIB;

type Candidate = InventoryDisk & { readonly readOnly?: boolean };

const bySizeThenName = (a: InventoryDisk, b: InventoryDisk): number =>
  a.size - b.size || (a.name < b.name ? -1 : a.name > b.name ? 1 : 0);

const listed = (disk: InventoryDisk): string =>
  `${disk.name} (${(disk.size / GIB).toFixed(1)} GiB, serial ${disk.serial ?? 'unknown'})`;

/**
 * With hints, the disk that matches all of them. Without hints, one of at least 4 GiB. Of several the smallest is
 * chosen, then the first by name. Throws with every disk and the reason against it.
 */
export function chooseRootDevice<D extends Candidate>(disks: readonly D[], hints: Hints): D {
  const wanted = parseHints(hints);
  const sorted = [...disks].sort(bySizeThenName);
  if (sorted.length === 0) {
    throw new Error(
      'no disk was found: the ramdisk may lack the driver of the storage controller, the controller may show no volume, or the disk may be unplugged',
    );
  }
  const judged = sorted.map((disk) => ({ disk, reason: disqualified(disk) ?? mismatch(disk, wanted) }));
  const found = judged.find(({ reason }) => reason === undefined);
  if (found) return found.disk;
  const what =
    wanted.length > 0
      ? 'no disk matches the root device hints (properties.root_device)'
      : 'no disk is suitable for the operating system, and there are no root device hints (properties.root_device)';
  const seen = judged.map(({ disk, reason }) => `${listed(disk)}: ${reason}`).join('; ');
  throw new Error(`${what}. ${seen}. Correct properties.root_device, or the hardware`);
}

const disqualified = (disk: Candidate): string | undefined =>
  disk.readOnly === true ? 'it is read-only' : undefined;

function mismatch(disk: InventoryDisk, hints: ReturnType<typeof parseHints>): string | undefined {
  if (hints.length > 0) return firstMismatch(disk, hints);
  return disk.size >= SMALLEST ? undefined : 'it is smaller than 4 GiB; use a hint to choose such a disk';
}

/** The root device hints of a node. Those in instance_info take precedence over properties. */
export function hintsOf(node: Readonly<Record<string, unknown>> | undefined): Hints {
  for (const part of ['instance_info', 'properties']) {
    const section = node?.[part];
    const hints =
      typeof section === 'object' && section !== null
        ? (section as Record<string, unknown>)['root_device']
        : undefined;
    if (hints === undefined || hints === null) continue;
    if (typeof hints !== 'object' || Array.isArray(hints)) {
      // If they were ignored, the image would be written to the default disk.
      throw new Error(`${part}.root_device must be an object of hints, not ${JSON.stringify(hints)}`);
    }
    if (Object.keys(hints).length > 0) return hints as Hints;
  }
  return {};
}
