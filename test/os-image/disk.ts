/**
 * Writes the test operating system to a disk image file: GPT with a BIOS boot partition, an EFI system partition and
 * a root file system, GRUB for both firmwares. Needs no mounts and no loop devices.
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

/** Random values, chosen once. With fixed ids, times and order of files, each build gives the same image. */
const IDS = {
  disk: '5d1a6c1e-0000-4000-8000-000000000001',
  biosBoot: '5d1a6c1e-0000-4000-8000-000000000002',
  efi: '5d1a6c1e-0000-4000-8000-000000000003',
  root: '5d1a6c1e-0000-4000-8000-000000000004',
  rootFileSystem: '5d1a6c1e-0000-4000-8000-000000000005',
  directoryHash: '5d1a6c1e-0000-4000-8000-000000000006',
  fatSerial: '5d1a6c1e',
} as const;
/** Time of every file and of the file systems, in seconds since 1970: a day after the epoch of FAT. */
export const IMAGE_TIME_S = 315_619_200;
const FIXED_TIME = {
  /** For mtools, and for e2fsprogs of distributions that have the patch. */
  SOURCE_DATE_EPOCH: String(IMAGE_TIME_S),
  /** The clock of e2fsprogs. */
  E2FSPROGS_FAKE_TIME: String(IMAGE_TIME_S),
};

/** ext4: inodes 1 to 10. */
const RESERVED_INODES = 10;

/**
 * Where boot.img stores the first sector of the core image, and core.img its own list of blocks (GRUB i386-pc boot.S,
 * diskboot.S).
 */
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
      `--disk-guid=${IDS.disk}`,
      `--new=1:${sectors(BIOS_START)}:${sectors(ESP_START) - 1}`,
      '--typecode=1:ef02',
      `--partition-guid=1:${IDS.biosBoot}`,
      `--new=2:${sectors(ESP_START)}:${sectors(ROOT_START) - 1}`,
      '--typecode=2:ef00',
      '--change-name=2:EFI',
      `--partition-guid=2:${IDS.efi}`,
      `--new=3:${sectors(ROOT_START)}:${sectors(ROOT_START + rootBytes) - 1}`,
      '--typecode=3:8300',
      '--change-name=3:root',
      `--partition-guid=3:${IDS.root}`,
      disk,
    ],
    { signal },
  );
  // GRUB finds its configuration by label, on any disk of the machine.
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
      '-U',
      IDS.rootFileSystem,
      '-E',
      `root_owner=0:0,hash_seed=${IDS.directoryHash}`,
      '-d',
      tree,
      file,
    ],
    { signal, env: FIXED_TIME },
  );
  await fixInodeTimes(file, work, signal);
  await run('dd', [`if=${file}`, `of=${disk}`, 'bs=1M', `seek=${ROOT_START / MEBI}`, 'conv=notrunc,sparse'], {
    signal,
  });
}

/** mke2fs copies the times of files from the tree, but the kernel does not allow to set the change time there. */
async function fixInodeTimes(file: string, work: string, signal: AbortSignal): Promise<void> {
  const header = await run('dumpe2fs', ['-h', file], { signal });
  const count = (name: string): number => Number(new RegExp(`^${name}:\\s+(\\d+)$`, 'm').exec(header)?.[1]);
  // In a new file system the first inodes are the used ones. Of the reserved ones only the root directory has files.
  const last = count('Inode count') - count('Free inodes');
  const inodes = [2, ...Array.from({ length: last - RESERVED_INODES }, (_, i) => RESERVED_INODES + 1 + i)];
  const script = join(work, 'times.debugfs');
  const fields = ['atime', 'ctime', 'mtime'];
  const lines = inodes.flatMap((inode) =>
    fields.map((field) => `sif <${inode}> ${field} @${IMAGE_TIME_S}\n`),
  );
  await writeFile(script, lines.join(''));
  await run('debugfs', ['-w', '-f', script, file], { signal, env: FIXED_TIME });
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
  const settings = { signal, env: FIXED_TIME };
  await run('mformat', ['-i', esp, '-v', 'EFI', '-N', IDS.fatSerial, '::'], settings);
  await run('mmd', ['-i', esp, '::/EFI', '::/EFI/BOOT', '::/EFI/debian'], settings);
  await run('mcopy', ['-i', esp, efi, '::/EFI/BOOT/BOOTX64.EFI'], settings);
  await run('mcopy', ['-i', esp, efi, '::/EFI/debian/grubx64.efi'], settings);
  await run('dd', [`if=${esp}`, `of=${disk}`, 'bs=1M', `seek=${ESP_START / MEBI}`, 'conv=notrunc,sparse'], {
    signal,
  });
}

/**
 * Does what grub-install does on a running system: writes boot code to sector 0 that loads the core image from its
 * partition.
 */
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
