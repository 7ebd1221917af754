/**
 * The weighers by Nova's class names, with their default multipliers.
 */
import { buildFailure } from './build-failure.ts';
import { cpu } from './cpu.ts';
import { disk } from './disk.ts';
import { imageCached } from './image-cached.ts';
import { leastRecentlyUsed } from './least-recently-used.ts';
import { ram } from './ram.ts';
import { softAffinity } from './soft-affinity.ts';
import { softAntiAffinity } from './soft-anti-affinity.ts';
import type { Weigher } from './weigher.ts';

interface Row {
  readonly weigher: Weigher;
  readonly multiplier: number;
  /** Low end of the scale unless a host scores less; default: the lowest score of all hosts. Nova: `minval`. */
  readonly scaleFrom?: number;
  /** The score depends on the hosts of other instances of the same request. */
  readonly looksAtGroup?: true;
}

/**
 * Unlike in Nova's defaults, the multipliers of RAM, disk and CPU are negative: an instance takes the whole machine, so
 * the smallest sufficient one wastes least. A failed build outweighs everything.
 */
const WEIGHERS = {
  RAMWeigher: { weigher: ram, multiplier: -1, scaleFrom: 0 },
  DiskWeigher: { weigher: disk, multiplier: -1, scaleFrom: 0 },
  CPUWeigher: { weigher: cpu, multiplier: -1, scaleFrom: 0 },
  ServerGroupSoftAffinityWeigher: { weigher: softAffinity, multiplier: 1, looksAtGroup: true },
  ServerGroupSoftAntiAffinityWeigher: { weigher: softAntiAffinity, multiplier: 1, looksAtGroup: true },
  BuildFailureWeigher: { weigher: buildFailure, multiplier: 1_000_000 },
  ImageCachedWeigher: { weigher: imageCached, multiplier: 1 },
  LeastRecentlyUsedWeigher: { weigher: leastRecentlyUsed, multiplier: 0.1 },
} as const satisfies Record<string, Row>;

export type WeigherName = keyof typeof WEIGHERS;
export const WEIGHER_NAMES = Object.keys(WEIGHERS) as WeigherName[];

export interface WeigherEntry extends Row {
  readonly name: WeigherName;
}

/** All weighers whose multiplier is not 0. */
export function weighersOf(multipliers: Readonly<Partial<Record<WeigherName, number>>>): WeigherEntry[] {
  return WEIGHER_NAMES.map((name) => {
    const row: Row = WEIGHERS[name];
    return { ...row, name, multiplier: multipliers[name] ?? row.multiplier };
  }).filter(({ multiplier }) => multiplier !== 0);
}
