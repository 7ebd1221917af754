/**
 * UEFI boot: creates a boot entry for the boot loader of the image.
 *
 * Nothing from the written image is run; its EFI system partition is only read.
 */
import { mkdtemp, rmdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ESP_TYPES, readPartitions } from '../disk/partitions.ts';
import type { Run } from '../exec/run.ts';
import { replaceBootEntry } from './boot-entries.ts';
import { chooseLoader, knownLoaders, type Loader, loadersIn } from './loader.ts';

/** Finds the ESP, chooses the loader and makes it the first boot entry. Earlier entries with its label are removed. */
export async function installUefiEntry(run: Run, device: string): Promise<Loader> {
  const esp = (await readPartitions(run, device)).list.find(({ type }) => ESP_TYPES.includes(type));
  if (esp === undefined) {
    throw new Error(
      `${device} has no EFI system partition: the image does not boot on UEFI. Use a UEFI image, or boot_mode:bios in capabilities`,
    );
  }
  const loader = await readLoader(run, esp.path);
  await replaceBootEntry(run, { device, partition: esp.number, label: loader.label, loader: loader.path });
  return loader;
}

async function readLoader(run: Run, partition: string): Promise<Loader> {
  const mountPoint = await mkdtemp(join(tmpdir(), 'esp-'));
  try {
    await run('mount', ['-t', 'vfat', '-o', 'ro,nosuid,nodev,noexec', partition, mountPoint]);
    try {
      const loader = chooseLoader(await loadersIn(mountPoint));
      if (loader) return loader;
    } finally {
      await run('umount', [mountPoint]);
    }
  } finally {
    await rmdir(mountPoint);
  }
  throw new Error(
    `the EFI system partition ${partition} contains no boot loader for this machine (searched for EFI/*/{${knownLoaders().join(',')}} and the files that a BOOT.CSV names)`,
  );
}
