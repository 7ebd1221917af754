/**
 * Lays the test operating system out on a disk image file: GPT with a BIOS boot partition, an EFI system
 * partition and a root file system, GRUB for both firmwares. No mounts, no loop devices.
 */
import { open, readFile, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { run } from '@ingot/ramdisk-build/run.ts';

const SECTOR = 512;
const MEBI = 1024 * 1024;
const BIOS_START = MEBI;
const ESP_START = 2 * MEBI;
const ESP_BYTES = 16 * MEBI;
const ROOT_START = ESP_START + ESP_BYTES;
/** Room for the backup partition table. */
const TAIL_BYTES = MEBI;
export const ROOT_LABEL = 'ingot-root';

/** Where boot.img keeps the first sector of the core image, and core.img its own list of blocks (GRUB i386-pc boot.S, diskboot.S). */
const BOOT_KERNEL_SECTOR = 0x5c;
const CORE_BLOCKLIST = 0x1f4;

const BIOS_MODULES = [
  'biosdisk',
  'part_gpt',
  'ext2',
  'normal',
  'linux',
  'search',
  'search_label',
  'serial',
  'terminal',
  'configfile',
];
const EFI_MODULES = [
  'part_gpt',
  'fat',
  'ext2',
  'normal',
  'linux',
  'search',
  'search_label',
  'serial',
  'terminal',
  'configfile',
  'efi_gop',
];

export interface DiskInput {
  /** Tree of the root file system, with /boot/vmlinuz, /boot/initrd.img and /boot/grub/grub.cfg. */
  readonly rootTree: string;
  readonly rootBytes: number;
  readonly work: string;
  readonly signal: AbortSignal;
}

export async function makeDisk(
  disk: string,
  { rootTree, rootBytes, work, signal }: DiskInput,
): Promise<number> {
  const size = ROOT_START + rootBytes + TAIL_BYTES;
  await writeFile(disk, '');
  await truncate(disk, size);
  const sectors = (bytes: number): number => bytes / SECTOR;
  await run(
    'sgdisk',
    [
      '--clear',
      `--new=1:${sectors(BIOS_START)}:${sectors(ESP_START) - 1}`,
      '--typecode=1:ef02',
      `--new=2:${sectors(ESP_START)}:${sectors(ROOT_START) - 1}`,
      '--typecode=2:ef00',
      '--change-name=2:EFI',
      `--new=3:${sectors(ROOT_START)}:${sectors(ROOT_START + rootBytes) - 1}`,
      '--typecode=3:8300',
      '--change-name=3:root',
      disk,
    ],
    { signal },
  );
  // GRUB finds its configuration by label, on whatever disk the machine has.
  const early = join(work, 'early.cfg');
  await writeFile(
    early,
    `search --no-floppy --label ${ROOT_LABEL} --set=root\nset prefix=($root)/boot/grub\nconfigfile /boot/grub/grub.cfg\n`,
  );
  await writeRoot(disk, rootTree, rootBytes, work, signal);
  await writeEsp(disk, early, work, signal);
  await writeBiosBoot(disk, early, work, signal);
  return size;
}

async function writeRoot(
  disk: string,
  tree: string,
  bytes: number,
  work: string,
  signal: AbortSignal,
): Promise<void> {
  const file = join(work, 'root.ext4');
  await writeFile(file, '');
  await truncate(file, bytes);
  await run(
    'mke2fs',
    [
      '-q',
      '-t',
      'ext4',
      '-L',
      ROOT_LABEL,
      '-m',
      '0',
      '-O',
      '^metadata_csum_seed',
      '-E',
      'root_owner=0:0',
      '-d',
      tree,
      file,
    ],
    { signal },
  );
  await run('dd', [`if=${file}`, `of=${disk}`, 'bs=1M', `seek=${ROOT_START / MEBI}`, 'conv=notrunc,sparse'], {
    signal,
  });
}

async function writeEsp(disk: string, early: string, work: string, signal: AbortSignal): Promise<void> {
  const efi = join(work, 'grubx64.efi');
  await run(
    'grub-mkimage',
    ['-O', 'x86_64-efi', '-p', '/EFI/debian', '-c', early, '-o', efi, ...EFI_MODULES],
    { signal },
  );
  const esp = join(work, 'esp.fat');
  await writeFile(esp, '');
  await truncate(esp, ESP_BYTES);
  await run('mformat', ['-i', esp, '-v', 'EFI', '::'], { signal });
  await run('mmd', ['-i', esp, '::/EFI', '::/EFI/BOOT', '::/EFI/debian'], { signal });
  await run('mcopy', ['-i', esp, efi, '::/EFI/BOOT/BOOTX64.EFI'], { signal });
  await run('mcopy', ['-i', esp, efi, '::/EFI/debian/grubx64.efi'], { signal });
  await run('dd', [`if=${esp}`, `of=${disk}`, 'bs=1M', `seek=${ESP_START / MEBI}`, 'conv=notrunc,sparse'], {
    signal,
  });
}

/** What grub-install does on a running system: boot code in sector 0 that loads the core image from its partition. */
async function writeBiosBoot(disk: string, early: string, work: string, signal: AbortSignal): Promise<void> {
  const corePath = join(work, 'core.img');
  await run(
    'grub-mkimage',
    ['-O', 'i386-pc', '-p', '/boot/grub', '-c', early, '-o', corePath, ...BIOS_MODULES],
    { signal },
  );
  const core = await readFile(corePath);
  const boot = await readFile('/usr/lib/grub/i386-pc/boot.img');
  const first = BigInt(BIOS_START / SECTOR);
  core.writeBigUInt64LE(first + 1n, CORE_BLOCKLIST);
  boot.writeBigUInt64LE(first, BOOT_KERNEL_SECTOR);
  if (core.length > ESP_START - BIOS_START)
    throw new Error('the GRUB core image does not fit in its partition');
  const handle = await open(disk, 'r+');
  try {
    // The partition table that sgdisk wrote begins at byte 440.
    await handle.write(boot, 0, 440, 0);
    await handle.write(core, 0, core.length, BIOS_START);
  } finally {
    await handle.close();
  }
}
