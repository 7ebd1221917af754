/**
 * Reports the sizes in kernel and ramdisk by groups of files, unpacked and estimated when packed, and checks the
 * budget.
 */
import { promisify } from 'node:util';
import { constants, zstdCompress } from 'node:zlib';
import type { CpioEntry } from './cpio.ts';

const compress = promisify(zstdCompress);
/** A fast level; the shares of the groups hardly depend on it. */
const ESTIMATE_LEVEL = 1;

/** The first match counts. */
const GROUPS: readonly (readonly [name: string, path: RegExp])[] = [
  ['agent with Node', /^usr\/bin\/ingot-agent$/],
  ['kernel modules', /^lib\/modules\//],
  ['firmware', /^lib\/firmware\//],
  ['shared libraries', /\.so(\.[\d.]+)?$/],
  ['programs', /^(usr\/)?s?bin\//],
  ['init and the rest', /^/],
];

export interface Sized {
  readonly name: string;
  readonly bytes: number;
}

export interface SizeGroup extends Sized {
  readonly files: number;
  /** Estimated share of the compressed ramdisk; the file size for the kernel. */
  readonly packedBytes: number;
}

export interface SizeReport {
  readonly groups: readonly SizeGroup[];
  /** Largest files of the ramdisk, unpacked. */
  readonly largest: readonly Sized[];
  readonly totalBytes: number;
  readonly budgetBytes: number;
}

export interface Measured {
  readonly entries: readonly CpioEntry[];
  readonly kernelBytes: number;
  readonly ramdiskBytes: number;
  readonly budgetBytes: number;
}

export async function sizeReport(given: Measured): Promise<SizeReport> {
  const files = given.entries.filter((entry) => entry.kind === 'file');
  const byGroup = new Map<string, Uint8Array[]>(GROUPS.map(([name]) => [name, []]));
  for (const { path, data } of files) byGroup.get(groupOf(path))!.push(data);
  const estimates = await Promise.all(
    [...byGroup].map(async ([name, parts]) => ({ name, parts, packed: await packedSize(parts) })),
  );
  const scale = given.ramdiskBytes / Math.max(1, sum(estimates.map(({ packed }) => packed)));
  const groups = estimates
    .filter(({ parts }) => parts.length > 0)
    .map(({ name, parts, packed }) => ({
      name,
      files: parts.length,
      bytes: sum(parts.map(({ length }) => length)),
      packedBytes: Math.round(packed * scale),
    }));
  const kernel = { name: 'kernel', files: 1, bytes: given.kernelBytes, packedBytes: given.kernelBytes };
  return {
    groups: [kernel, ...groups].sort((a, b) => b.packedBytes - a.packedBytes),
    largest: files
      .map(({ path, data }) => ({ name: path, bytes: data.length }))
      .sort((a, b) => b.bytes - a.bytes)
      .slice(0, 10),
    totalBytes: given.kernelBytes + given.ramdiskBytes,
    budgetBytes: given.budgetBytes,
  };
}

/** undefined within the budget, otherwise an error text that names the largest items. */
export function overBudget({ totalBytes, budgetBytes, groups, largest }: SizeReport): string | undefined {
  if (totalBytes <= budgetBytes) return undefined;
  const mb = (bytes: number): string => `${(bytes / 1e6).toFixed(1)} MB`;
  const some = (items: readonly string[]): string => items.slice(0, 4).join(', ');
  return [
    `kernel and ramdisk are ${mb(totalBytes)}, ${mb(totalBytes - budgetBytes)} over the budget of ${mb(budgetBytes)} (ramdisk-build/budget.json)`,
    `largest groups, packed: ${some(groups.map((one) => `${one.name} ${mb(one.packedBytes)}`))}`,
    `largest files, unpacked: ${some(largest.map((one) => `${one.name} ${mb(one.bytes)}`))}`,
    'remove entries from the lists in ramdisk-build/contents.ts, or raise the budget',
  ].join('; ');
}

const groupOf = (path: string): string => GROUPS.find(([, pattern]) => pattern.test(path))![0];
const sum = (numbers: readonly number[]): number => numbers.reduce((total, one) => total + one, 0);

async function packedSize(parts: readonly Uint8Array[]): Promise<number> {
  if (parts.length === 0) return 0;
  const packed = await compress(Buffer.concat(parts), {
    params: { [constants.ZSTD_c_compressionLevel]: ESTIMATE_LEVEL },
  });
  return packed.length;
}
