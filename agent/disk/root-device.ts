/**
 * Which disk gets the operating system. Pure: the order in which the kernel found disks never matters.
 */
import type { InventoryDisk } from '@ingot/shared/agent/inventory.ts';
import { firstMismatch, type Hints } from './hints.ts';

const GIB = 1024 ** 3;
const SMALLEST = 4 * GIB;

const bySizeThenName = (a: InventoryDisk, b: InventoryDisk): number =>
  a.size - b.size || (a.name < b.name ? -1 : a.name > b.name ? 1 : 0);

const listed = (disk: InventoryDisk): string =>
  `${disk.name} (${(disk.size / GIB).toFixed(1)} GiB, serial ${disk.serial ?? 'unknown'})`;

/**
 * With hints the one that matches all (the smallest, then by name, of several); without, the
 * smallest of at least 4 GiB. Throws with every disk and the first hint it failed.
 */
export function chooseRootDevice<D extends InventoryDisk>(disks: readonly D[], hints: Hints): D {
  const sorted = [...disks].sort(bySizeThenName);
  if (sorted.length === 0)
    throw new Error('no disk was found: the ramdisk may lack the driver of the storage controller');
  if (Object.keys(hints).length === 0) {
    const found = sorted.find((disk) => disk.size >= SMALLEST);
    if (found) return found;
    throw new Error(
      `no disk of at least 4 GiB was found among ${sorted.map(listed).join(', ')}; give a root device hint to use a smaller one`,
    );
  }
  const judged = sorted.map((disk) => ({ disk, mismatch: firstMismatch(disk, hints) }));
  const found = judged.find(({ mismatch }) => mismatch === undefined);
  if (found) return found.disk;
  const reasons = judged.map(({ disk, mismatch }) => `${listed(disk)}: ${mismatch}`).join('; ');
  throw new Error(`no disk matches the root device hints (properties.root_device). ${reasons}`);
}

/** The hints of a node: instance_info comes before properties. */
export function hintsOf(node: Readonly<Record<string, unknown>> | undefined): Hints {
  for (const part of ['instance_info', 'properties']) {
    const section = node?.[part];
    const hints =
      typeof section === 'object' && section !== null
        ? (section as Record<string, unknown>)['root_device']
        : undefined;
    if (typeof hints === 'object' && hints !== null) return hints as Hints;
  }
  return {};
}
