/**
 * UEFI boot entries (UEFI 2.10, 3.1.3 and 3.3: Boot####, BootOrder, BootNext), through efibootmgr.
 */
import type { Run } from '../exec/run.ts';

export interface BootEntry {
  /** Four hex digits, `0003`. */
  readonly number: string;
  readonly active: boolean;
  readonly label: string;
  /** Device path as text, followed by the entry's data; empty if efibootmgr prints none. */
  readonly path: string;
}

export interface BootListing {
  /** The entry that booted the ramdisk. */
  readonly current: string | null;
  /** The entry for the next boot only. */
  readonly next: string | null;
  readonly order: readonly string[];
  readonly entries: readonly BootEntry[];
}

export interface NewEntry {
  /** Disk with the EFI system partition, `/dev/sda`. */
  readonly device: string;
  readonly partition: number;
  readonly label: string;
  /** On the partition, with slashes: `EFI/debian/shimx64.efi`. */
  readonly loader: string;
}

/** Output of `efibootmgr -v`: `Boot0003* debian<tab>HD(1,GPT,…)/File(\EFI\…)`, among lines of `Name: value`. */
export function parseBootListing(text: string): BootListing {
  const value = (name: string): string | null =>
    new RegExp(`^${name}: ([0-9A-F]{4}(?:,[0-9A-F]{4})*)\\s*$`, 'im').exec(text)?.[1]?.toUpperCase() ?? null;
  const entries = [...text.matchAll(/^Boot([0-9A-F]{4})(\*?) ?([^\t\n]*)(?:\t(.*))?$/gim)];
  return {
    current: value('BootCurrent'),
    next: value('BootNext'),
    order: value('BootOrder')?.split(',') ?? [],
    entries: entries.map(([, number = '', star, label = '', path = '']) => ({
      number: number.toUpperCase(),
      active: star === '*',
      label: label.trim(),
      path: path.trim(),
    })),
  };
}

/**
 * Entries with this label that load a file from a disk: those of earlier installations. The label comes from an image,
 * so network, shell and firmware entries that have the same label must stay.
 */
export function staleEntries({ entries }: BootListing, label: string): BootEntry[] {
  return entries.filter((entry) => entry.label === label && /(^|\/)HD\(/.test(entry.path));
}

export async function listBootEntries(run: Run): Promise<BootListing> {
  return parseBootListing(await run('efibootmgr', ['-v']));
}

/**
 * Puts the entry first in the boot order. Earlier entries with its label are removed before, which also frees space.
 * Throws with advice if the firmware's variable store is full or the firmware does not keep the entry.
 */
export async function replaceBootEntry(run: Run, entry: NewEntry): Promise<void> {
  const { device, partition, label, loader } = entry;
  const before = await listBootEntries(run);
  const stale = staleEntries(before, label);
  for (const { number } of stale) await run('efibootmgr', ['-q', '-b', number, '-B']);
  const path = `\\${loader.replaceAll('/', '\\')}`;
  const args = ['-q', '-c', '-d', device, '-p', String(partition), '-w', '-L', label, '-l', path];
  await run('efibootmgr', args).catch((error: Error) => {
    if (!/No space left on device/i.test(error.message)) throw error;
    throw new Error(
      `the firmware's variable store is full (${before.entries.length - stale.length} boot entries), so there is no room for the entry "${label}": remove unneeded entries (efibootmgr -b NUMBER -B) or reset the boot settings in the firmware's setup`,
      { cause: error },
    );
  });
  const after = await listBootEntries(run);
  const made = staleEntries(after, label)[0];
  if (made === undefined) {
    throw new Error(
      `the firmware did not keep the boot entry "${label}": update the firmware, or let the image boot by EFI/BOOT with ignore_bootloader_failure`,
    );
  }
  if (after.order[0] !== made.number) {
    throw new Error(
      `the boot entry "${label}" (${made.number}) is not first in the boot order: ${after.order}`,
    );
  }
}
