/**
 * The weighers by Nova's class names, with their multipliers unless configured.
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
  /** Lowest value of the scale unless a host scores less; by default the lowest score of all hosts. Nova: `minval`. */
  readonly scaleFrom?: number;
  /** Its score depends on where other instances of the same request went. */
  readonly looksAtGroup?: true;
}

/**
 * Ram, disk and cpu count against a host, other than Nova's default: a machine is taken whole, so the smallest that
 * will do wastes least. A failed build outweighs everything.
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
