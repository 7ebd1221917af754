/**
 * Root device hints held against disks.
 */
import type { InventoryDisk } from '@ingot/shared/agent/inventory.ts';
import {
  type HintName,
  type HintValue,
  isHintName,
  ROOT_DEVICE_HINTS,
  readHint,
} from '@ingot/shared/ironic/root-device-hints.ts';

/** As in `properties.root_device`: hint name to wanted value. */
export type Hints = Readonly<Record<string, unknown>>;

/** A hint understood: what it asks of a disk. */
export interface Hint {
  readonly name: HintName;
  readonly wanted: unknown;
  readonly matches: (disk: InventoryDisk) => boolean;
}

const GIB = 1024 ** 3;

/** What the disk has under a hint's name. */
const hinted = (disk: InventoryDisk, name: HintName): HintValue =>
  name === 'size' ? disk.size / GIB : disk[name];

/** Throws with the field and the first hint in it that is unknown or cannot be understood. */
export function parseHints(hints: Hints, field = 'properties.root_device'): readonly Hint[] {
  return Object.entries(hints).map(([name, wanted]) => {
    if (!isHintName(name)) {
      throw new Error(
        `${field}: hint "${name}" is not known; known are ${Object.keys(ROOT_DEVICE_HINTS).join(', ')}`,
      );
    }
    const test = readHint(name, wanted);
    if (typeof test === 'string') {
      throw new Error(`${field}: hint ${name}=${JSON.stringify(wanted)} cannot be understood: it ${test}`);
    }
    return { name, wanted, matches: (disk) => test(hinted(disk, name)) };
  });
}

/** The first hint the disk fails, as a clause; undefined when it matches all. */
export function firstMismatch(disk: InventoryDisk, hints: readonly Hint[]): string | undefined {
  const failed = hints.find((hint) => !hint.matches(disk));
  if (failed === undefined) return undefined;
  const actual = hinted(disk, failed.name);
  const shown = typeof actual === 'number' ? `${actual.toFixed(1)} GiB` : JSON.stringify(actual);
  return `${failed.name} is ${actual === null ? 'not known' : shown}, wanted ${JSON.stringify(failed.wanted)}`;
}
