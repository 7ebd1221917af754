/**
 * Compares disks with root device hints.
 */
import type { InventoryDisk } from '../agent/inventory.ts';
import {
  type HintName,
  type HintValue,
  isHintName,
  ROOT_DEVICE_HINTS,
  readHint,
} from './root-device-hints.ts';

/** Hint name -> wanted value, as in `properties.root_device`. */
export type Hints = Readonly<Record<string, unknown>>;

/** A parsed hint. */
export interface Hint {
  readonly name: HintName;
  readonly wanted: unknown;
  readonly matches: (disk: InventoryDisk) => boolean;
}

const GIB = 1024 ** 3;

/** The disk's value for a hint. */
const hinted = (disk: InventoryDisk, name: HintName): HintValue =>
  name === 'size' ? disk.size / GIB : disk[name];

/** Throws with the field and the first hint that is unknown or has an invalid value. */
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

/** The first hint that the disk does not match, as a clause; undefined if it matches all. */
export function firstMismatch(disk: InventoryDisk, hints: readonly Hint[]): string | undefined {
  const failed = hints.find((hint) => !hint.matches(disk));
  if (failed === undefined) return undefined;
  const actual = hinted(disk, failed.name);
  const shown = typeof actual === 'number' ? `${actual.toFixed(1)} GiB` : JSON.stringify(actual);
  return `${failed.name} is ${actual === null ? 'unknown' : shown}, wanted ${JSON.stringify(failed.wanted)}`;
}
