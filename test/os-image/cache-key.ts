/**
 * A digest of all inputs of the test operating system. The same key means the same image.
 */
import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { run } from '@ingot/ramdisk-build/run.ts';

const HERE = dirname(fileURLToPath(import.meta.url));
const ROOT = resolve(HERE, '../..');
/** Files of the ramdisk build that this image also uses. */
const SHARED_SOURCES = ['cpio.ts', 'debian-packages.ts', 'kernel-modules.ts'];

/** Packages of this host whose programs build the image or whose boot code is in it. */
export const BUILD_PACKAGES = [
  ...['e2fsprogs', 'mtools', 'gdisk', 'openssl', 'qemu-utils'],
  ...['grub-common', 'grub-pc-bin', 'grub-efi-amd64-bin'],
] as const;

export interface KeyInputs {
  readonly packages: readonly { readonly name: string; readonly version: string; readonly sha256: string }[];
  /** Package -> version on this host. */
  readonly tools: Readonly<Record<string, string>>;
  /** Path -> contents. */
  readonly sources: ReadonlyMap<string, Uint8Array>;
}

/** 64 hex digits; the order of the inputs does not matter. */
export function cacheKey({ packages, tools, sources }: KeyInputs): string {
  const digest = (data: string | Uint8Array): string => createHash('sha256').update(data).digest('hex');
  const lines = [
    ...packages.map(({ name, version, sha256 }) => ['package', name, version, sha256]),
    ...Object.entries(tools).map(([name, version]) => ['tool', name, version]),
    ...[...sources].map(([path, contents]) => ['source', path, digest(contents)]),
  ];
  return digest(JSON.stringify(lines.map((line) => JSON.stringify(line)).sort()));
}

export async function installedVersions(
  packages: readonly string[],
  signal: AbortSignal,
): Promise<Record<string, string>> {
  // biome-ignore lint/suspicious/noTemplateCurlyInString: dpkg-query's own format language
  const listing = await run('dpkg-query', ['-W', '-f', '${Package}\t${Version}\n', ...packages], { signal });
  const lines = listing.split('\n').filter(Boolean);
  return Object.fromEntries(lines.map((line) => line.split('\t') as [string, string]));
}

/** The sources of this build, without tests. */
export async function ownSources(): Promise<Map<string, Buffer>> {
  const own = (await readdir(HERE, { recursive: true, withFileTypes: true }))
    .filter((entry) => entry.isFile() && !entry.name.endsWith('.test.ts'))
    .map((entry) => join(entry.parentPath, entry.name));
  const shared = SHARED_SOURCES.map((name) => join(ROOT, 'ramdisk-build', name));
  const read = [...own, ...shared].map(async (path) => [relative(ROOT, path), await readFile(path)] as const);
  return new Map(await Promise.all(read));
}
