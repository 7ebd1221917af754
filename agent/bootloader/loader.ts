/**
 * Chooses the file on an EFI system partition (ESP) that the firmware shall start.
 *
 * The partition comes from an untrusted image: file sizes are limited, and file names are only compared.
 */
import { open, readdir } from 'node:fs/promises';
import { arch } from 'node:os';
import { join } from 'node:path';

export interface Loader {
  /** Directory and file as on the ESP: `EFI/debian/shimx64.efi`. */
  readonly path: string;
  readonly label: string;
}

export interface Candidate {
  /** `EFI/debian` */
  readonly directory: string;
  readonly files: readonly string[];
  /** Contents of BOOTX64.CSV or BOOT.CSV, if there is one: lines of `file,label,options,description`. */
  readonly csv: string | null;
}

/** UEFI's short name of an architecture (UEFI 2.10, 3.5.1.1), by Node's name. */
const SUFFIX: Readonly<Record<string, string>> = { x64: 'x64', arm64: 'aa64' };
const OUR_SUFFIX = SUFFIX[arch()] ?? arch();
/** In order of preference: shim is needed for Secure Boot; `boot` is the name on removable media. */
const STEMS = ['shim', 'grub', 'systemd-boot', 'boot'];
const MOST_CSV_BYTES = 64 * 1024;
const LONGEST_LABEL = 60;

/** File names in lower case, in order of preference. */
export const knownLoaders = (suffix = OUR_SUFFIX): string[] => STEMS.map((stem) => `${stem}${suffix}.efi`);

/** @param root where the partition is mounted. */
export async function loadersIn(root: string, suffix = OUR_SUFFIX): Promise<Candidate[]> {
  const efi = (await readdir(root)).find((name) => name.toLowerCase() === 'efi');
  if (efi === undefined) return [];
  const directories = await readdir(join(root, efi), { withFileTypes: true });
  return Promise.all(
    directories
      .filter((entry) => entry.isDirectory())
      .map(async ({ name }) => {
        const files = await readdir(join(root, efi, name));
        const csv = findFile(files, `boot${suffix}.csv`) ?? findFile(files, 'boot.csv');
        const text = csv === undefined ? null : await readCsv(join(root, efi, name, csv));
        return { directory: `${efi}/${name}`, files, csv: text };
      }),
  );
}

/** File names on FAT are not case-sensitive. */
const findFile = (files: readonly string[], name: string): string | undefined =>
  files.find((one) => one.toLowerCase() === name.toLowerCase());

/** shim's CSV is UTF-16 with a byte order mark; others are UTF-8. */
async function readCsv(path: string): Promise<string> {
  const handle = await open(path, 'r');
  try {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(MOST_CSV_BYTES), 0, MOST_CSV_BYTES, 0);
    const bytes = buffer.subarray(0, bytesRead);
    return bytes.length >= 2 && bytes.readUInt16LE(0) === 0xfeff
      ? bytes.toString('utf16le', 2)
      : bytes.toString('utf8');
  } finally {
    await handle.close();
  }
}

/** The file that a CSV names, otherwise the preferred known name. Vendor directories come before EFI/BOOT. */
export function chooseLoader(candidates: readonly Candidate[], suffix = OUR_SUFFIX): Loader | undefined {
  const sorted = [...candidates].sort(
    (a, b) => Number(isFallback(a)) - Number(isFallback(b)) || (a.directory < b.directory ? -1 : 1),
  );
  for (const candidate of sorted) {
    const named = namedByCsv(candidate);
    if (named !== undefined) return named;
  }
  for (const { directory, files } of sorted) {
    const known = knownLoaders(suffix).flatMap((name) => findFile(files, name) ?? [])[0];
    if (known !== undefined)
      return { path: `${directory}/${known}`, label: cleanLabel(directory.split('/').at(-1) ?? '') };
  }
  return undefined;
}

/** The first line whose file exists. */
function namedByCsv({ directory, files, csv }: Candidate): Loader | undefined {
  for (const line of csv?.split(/\r?\n/) ?? []) {
    const [name = '', label = ''] = line.split(',').map((field) => field.trim());
    const file = findFile(files, name);
    if (file !== undefined && label !== '') return { path: `${directory}/${file}`, label: cleanLabel(label) };
  }
  return undefined;
}

const isFallback = ({ directory }: Candidate): boolean => directory.toLowerCase() === 'efi/boot';

/** Labels come from the image and are shown by the firmware, so only printable ASCII is kept. */
const cleanLabel = (label: string): string =>
  label
    .replace(/[^\x20-\x7e]/g, '')
    .trim()
    .slice(0, LONGEST_LABEL)
    .trim() || 'disk';
