/**
 * UEFI boot entries: points the firmware at the boot loader the image brought.
 *
 * Nothing of the written image is ever run; its EFI system partition is only read.
 */
import { mkdir, readdir, readFile, rmdir } from 'node:fs/promises';
import { join } from 'node:path';
import { ESP_TYPES, readPartitions } from '../disk/partitions.ts';
import type { Run } from '../exec/run.ts';

export interface Loader {
  /** Directory and file as on the ESP: `EFI/debian/shimx64.efi`. */
  readonly path: string;
  readonly label: string;
}

/** Best first: a shim starts what is signed, the removable path is for media without a name. */
const KNOWN_LOADERS = [
  'shimx64.efi',
  'shimaa64.efi',
  'grubx64.efi',
  'grubaa64.efi',
  'systemd-bootx64.efi',
  'bootx64.efi',
  'bootaa64.efi',
];
const MOUNT_POINT = '/mnt/esp';

/** Finds the ESP, picks the loader and makes it the first boot entry; older entries of its label go. */
export async function installUefiEntry(run: Run, device: string): Promise<Loader> {
  const esp = (await readPartitions(run, device)).list.find(({ type }) => ESP_TYPES.includes(type));
  if (esp === undefined) {
    throw new Error(
      `${device} has no EFI system partition: the image does not boot on UEFI. Use a UEFI image, or boot_mode:bios in capabilities`,
    );
  }
  const loader = await readLoader(run, esp.path);
  await removeEntries(run, loader.label);
  const efiPath = `\\${loader.path.replaceAll('/', '\\')}`;
  await run('efibootmgr', [
    '-q',
    '-c',
    '-d',
    device,
    '-p',
    String(esp.number),
    '-w',
    '-L',
    loader.label,
    '-l',
    efiPath,
  ]);
  return loader;
}

async function readLoader(run: Run, partition: string): Promise<Loader> {
  await mkdir(MOUNT_POINT, { recursive: true });
  await run('mount', ['-t', 'vfat', '-o', 'ro,nosuid,nodev,noexec', partition, MOUNT_POINT]);
  try {
    const loader = chooseLoader(await loadersIn(MOUNT_POINT));
    if (loader) return loader;
    throw new Error(
      `the EFI system partition ${partition} holds no boot loader (looked for EFI/*/{${KNOWN_LOADERS.join(',')}} and BOOT.CSV)`,
    );
  } finally {
    await run('umount', [MOUNT_POINT]);
    await rmdir(MOUNT_POINT);
  }
}

export interface Candidate {
  readonly directory: string;
  readonly files: readonly string[];
  /** Contents of BOOT*.CSV, if there is one: `file,label,options,description`. */
  readonly csv: string | null;
}

async function loadersIn(root: string): Promise<Candidate[]> {
  const efi = (await readdir(root)).find((name) => name.toLowerCase() === 'efi');
  if (efi === undefined) return [];
  const directories = await readdir(join(root, efi), { withFileTypes: true });
  return Promise.all(
    directories
      .filter((entry) => entry.isDirectory())
      .map(async ({ name }) => {
        const files = await readdir(join(root, efi, name));
        const csv = files.find((file) => /^boot.*\.csv$/i.test(file));
        const text = csv === undefined ? null : await readCsv(join(root, efi, name, csv));
        return { directory: `${efi}/${name}`, files, csv: text };
      }),
  );
}

/** shim's CSV is UTF-16 with a byte order mark; others are plain. */
async function readCsv(path: string): Promise<string> {
  const bytes = await readFile(path);
  return bytes.length >= 2 && bytes.readUInt16LE(0) === 0xfeff
    ? bytes.toString('utf16le', 2)
    : bytes.toString('utf8');
}

/** What a BOOT.CSV names; else the best known name, vendors' directories before EFI/BOOT. */
export function chooseLoader(candidates: readonly Candidate[]): Loader | undefined {
  const sorted = [...candidates].sort(
    (a, b) => Number(isFallback(a)) - Number(isFallback(b)) || (a.directory < b.directory ? -1 : 1),
  );
  for (const { directory, files, csv } of sorted) {
    const [file, label] = csv?.split(/\r?\n/)[0]?.split(',') ?? [];
    const exact = files.find((one) => one.toLowerCase() === file?.trim().toLowerCase());
    if (exact !== undefined && label) return { path: `${directory}/${exact}`, label: cleanLabel(label) };
  }
  for (const { directory, files } of sorted) {
    const known = KNOWN_LOADERS.map((name) => files.find((one) => one.toLowerCase() === name)).find(
      (one) => one !== undefined,
    );
    if (known !== undefined)
      return { path: `${directory}/${known}`, label: cleanLabel(directory.split('/').at(-1) ?? 'disk') };
  }
  return undefined;
}

const isFallback = ({ directory }: Candidate): boolean => directory.toLowerCase() === 'efi/boot';
/** Labels come from the image and are shown by firmware: plain characters only. */
const cleanLabel = (label: string): string =>
  label
    .replace(/[^\x20-\x7e]/g, '')
    .trim()
    .slice(0, 60) || 'disk';

async function removeEntries(run: Run, label: string): Promise<void> {
  for (const number of entriesLabelled(await run('efibootmgr', []), label)) {
    await run('efibootmgr', ['-q', '-b', number, '-B']);
  }
}

/** `Boot0003* debian	HD(...)`: numbers of the entries with this label. */
export function entriesLabelled(listing: string, label: string): string[] {
  return listing.split('\n').flatMap((line) => {
    const [, number, name] = /^Boot([0-9A-Fa-f]{4})\*?\s+([^\t]*)/.exec(line) ?? [];
    return number !== undefined && name?.trim() === label ? [number] : [];
  });
}
