/**
 * Debian packages as ingredients: resolved, downloaded once and unpacked, without being installed.
 *
 * The host's own apt sources and signatures are used. No maintainer script runs, so the result
 * depends only on the packages' contents.
 */
import { existsSync } from 'node:fs';
import { mkdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { run } from './run.ts';

export interface DebianPackage {
  readonly name: string;
  readonly version: string;
  readonly architecture: string;
}

const PLAIN_DEPENDS = [
  '--recurse',
  '--no-recommends',
  '--no-suggests',
  '--no-conflicts',
  '--no-breaks',
  '--no-replaces',
  '--no-enhances',
];

/** The packages and everything they depend on, at the version apt would install. Sorted by name. */
export async function resolvePackages(
  names: readonly string[],
  signal: AbortSignal,
): Promise<DebianPackage[]> {
  const listing = await run('apt-cache', ['depends', ...PLAIN_DEPENDS, ...names], { signal });
  const all = listing.split('\n').filter((line) => /^[a-z0-9]/.test(line));
  return describePackages([...new Set(all)], signal);
}

/** The packages themselves, without what they depend on. */
export async function describePackages(
  names: readonly string[],
  signal: AbortSignal,
): Promise<DebianPackage[]> {
  const shown = await run('apt-cache', ['show', '--no-all-versions', ...names], { signal });
  const field = (stanza: string, key: string): string =>
    new RegExp(`^${key}: (.*)$`, 'm').exec(stanza)?.[1] ?? '';
  const packages = shown
    .split('\n\n')
    .filter((stanza) => stanza.includes('Package: '))
    .map((stanza) => ({
      name: field(stanza, 'Package'),
      version: field(stanza, 'Version'),
      architecture: field(stanza, 'Architecture'),
    }));
  return packages.sort((a, b) => (a.name < b.name ? -1 : 1));
}

export const fileNameOf = ({ name, version, architecture }: DebianPackage): string =>
  `${name}_${version.replaceAll(':', '%3a')}_${architecture}.deb`;

/** Downloads what the cache does not hold; a file under its final name is whole. */
export async function downloadPackages(
  packages: readonly DebianPackage[],
  cacheDir: string,
  signal: AbortSignal,
): Promise<void> {
  await mkdir(cacheDir, { recursive: true });
  const wanted = packages.filter((one) => !existsSync(join(cacheDir, fileNameOf(one))));
  if (wanted.length === 0) return;
  const partial = join(cacheDir, `.partial-${process.pid}`);
  await mkdir(partial, { recursive: true });
  try {
    const specs = wanted.map(({ name, version }) => `${name}=${version}`);
    await run('apt-get', ['download', '-qq', '-o', 'APT::Sandbox::User=root', ...specs], {
      cwd: partial,
      signal,
    });
    for (const one of wanted) await rename(join(partial, fileNameOf(one)), join(cacheDir, fileNameOf(one)));
  } finally {
    await rm(partial, { recursive: true, force: true });
  }
}

/** Unpacks downloaded packages over each other into `root`. */
export async function unpackPackages(
  packages: readonly DebianPackage[],
  cacheDir: string,
  root: string,
  signal: AbortSignal,
): Promise<void> {
  await mkdir(root, { recursive: true });
  for (const one of packages)
    await run('dpkg-deb', ['-x', join(cacheDir, fileNameOf(one)), root], { signal });
}
