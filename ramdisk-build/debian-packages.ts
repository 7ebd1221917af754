/**
 * Resolves, downloads and unpacks Debian packages without installing them.
 *
 * The apt sources and keys of the host are used. No maintainer script runs, so the result depends only on the contents
 * of the packages.
 */
import { createHash } from 'node:crypto';
import { createReadStream, existsSync } from 'node:fs';
import { mkdir, mkdtemp, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { BuildFailure, explainFileError } from './failure.ts';
import { ProgramFailure, run } from './run.ts';

export interface DebianPackage {
  readonly name: string;
  readonly version: string;
  readonly architecture: string;
  /** Digest of the .deb file; empty if the index of the archive has none. */
  readonly sha256: string;
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

/** The packages and their dependencies, in the version that apt would install. Sorted by name. */
export async function resolvePackages(
  names: readonly string[],
  signal: AbortSignal,
): Promise<DebianPackage[]> {
  const listing = await aptCache(['depends', ...PLAIN_DEPENDS, ...names], signal);
  const all = listing.split('\n').filter((line) => /^[a-z0-9]/.test(line));
  return describePackages([...new Set(all)], signal);
}

/** The packages without their dependencies. */
export async function describePackages(
  names: readonly string[],
  signal: AbortSignal,
): Promise<DebianPackage[]> {
  const shown = await aptCache(['show', '--no-all-versions', ...names], signal);
  const field = (stanza: string, key: string): string =>
    new RegExp(`^${key}: (.*)$`, 'm').exec(stanza)?.[1] ?? '';
  const packages = shown
    .split('\n\n')
    .filter((stanza) => stanza.includes('Package: '))
    .map((stanza) => ({
      name: field(stanza, 'Package'),
      version: field(stanza, 'Version'),
      architecture: field(stanza, 'Architecture'),
      sha256: field(stanza, 'SHA256'),
    }));
  return packages.sort((a, b) => (a.name < b.name ? -1 : 1));
}

/** The packages that apt can install, in the same order. Some hosts do not use every component of the archive. */
export async function knownPackages(names: readonly string[], signal: AbortSignal): Promise<string[]> {
  const policy = await aptCache(['policy', ...names], signal);
  const candidates = [...policy.matchAll(/^(\S+):\n {2}Installed: .*\n {2}Candidate: (.*)$/gm)];
  const known = new Set(candidates.filter(([, , version]) => version !== '(none)').map(([, name]) => name));
  return names.filter((name) => known.has(name));
}

/** The package that a metapackage depends on: linux-image-amd64 -> linux-image-6.1.0-56-amd64. */
export async function packageBehind(
  meta: string,
  prefix: string,
  signal: AbortSignal,
): Promise<DebianPackage> {
  const listing = await aptCache(['depends', '--important', meta], signal);
  const name = new RegExp(`Depends: (${prefix}\\S+)`).exec(listing)?.[1];
  const [found] = name === undefined ? [] : await describePackages([name], signal);
  if (found === undefined) throw new BuildFailure(`apt finds no dependency of ${meta}; ${STALE_LISTS}`);
  return found;
}

const STALE_LISTS =
  'run apt-get update, and check that /etc/apt names a Debian archive with the component "main"';

async function aptCache(args: readonly string[], signal: AbortSignal): Promise<string> {
  try {
    return await run('apt-cache', args, { signal });
  } catch (error) {
    if (!(error instanceof ProgramFailure)) throw error;
    throw new BuildFailure(`${error.stderr.trim()}; ${STALE_LISTS}`, { cause: error });
  }
}

export const fileNameOf = ({ name, version, architecture }: DebianPackage): string =>
  `${name}_${version.replaceAll(':', '%3a')}_${architecture}.deb`;

/** Downloads what is missing or damaged in the cache. Files are compared with the digests in apt's signed index. */
export async function downloadPackages(
  packages: readonly DebianPackage[],
  cacheDir: string,
  signal: AbortSignal,
): Promise<void> {
  try {
    const wanted: DebianPackage[] = [];
    for (const one of packages) if (!(await isComplete(one, cacheDir))) wanted.push(one);
    if (wanted.length > 0) await downloadInto(cacheDir, wanted, signal);
  } catch (error) {
    throw explainFileError(error, '--cache', cacheDir);
  }
}

/** Files get their final name when they are complete. */
async function downloadInto(
  cacheDir: string,
  packages: readonly DebianPackage[],
  signal: AbortSignal,
): Promise<void> {
  await mkdir(cacheDir, { recursive: true });
  const partial = await mkdtemp(join(cacheDir, '.partial-'));
  try {
    await aptDownload(packages, partial, signal);
    for (const one of packages) await rename(join(partial, fileNameOf(one)), join(cacheDir, fileNameOf(one)));
  } finally {
    await rm(partial, { recursive: true, force: true });
  }
}

async function isComplete(one: DebianPackage, cacheDir: string): Promise<boolean> {
  const path = join(cacheDir, fileNameOf(one));
  if (!existsSync(path)) return false;
  if (one.sha256 === '') return true;
  const hash = createHash('sha256');
  await pipeline(createReadStream(path), hash);
  return hash.digest('hex') === one.sha256;
}

/** apt checks signatures and digests. As root it would switch to a user who may not write to `dir`. */
async function aptDownload(
  packages: readonly DebianPackage[],
  dir: string,
  signal: AbortSignal,
): Promise<void> {
  const settings = ['APT::Sandbox::User=root', 'Acquire::Retries=2', 'Acquire::http::Timeout=30'];
  const specs = packages.map(({ name, version }) => `${name}=${version}`);
  try {
    await run('apt-get', ['download', '-qq', ...settings.flatMap((one) => ['-o', one]), ...specs], {
      cwd: dir,
      signal,
    });
  } catch (error) {
    if (!(error instanceof ProgramFailure) || error.code !== undefined) throw error;
    throw new BuildFailure(
      `apt could not download ${packages.length} packages: ${firstErrors(error.stderr)}. Check that the Debian archive in /etc/apt can be reached, and run apt-get update; packages that are already in --cache are not downloaded again`,
      { cause: error },
    );
  }
}

/** The first two error lines of apt. Usually many more follow from them. */
function firstErrors(stderr: string): string {
  const lines = stderr.split('\n').filter((line) => line.startsWith('E: '));
  return lines.slice(0, 2).join(' ').trim() || stderr.trim().slice(0, 300);
}

/** Unpacks downloaded packages into the same directory. */
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
