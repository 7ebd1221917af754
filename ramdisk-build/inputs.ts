/**
 * Collects all inputs of a build and their digest. The same digest means the same ramdisk.
 */
import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { bundleAgent, nodeVersion } from './agent-executable.ts';
import { FIRMWARE_PACKAGES, KERNEL_PACKAGE, PROGRAMS, type Profile } from './contents.ts';
import {
  type DebianPackage,
  describePackages,
  knownPackages,
  packageBehind,
  resolvePackages,
} from './debian-packages.ts';
import { toolVersions } from './host-tools.ts';
import { bomText } from './sbom/cyclonedx.ts';
import { ramdiskBom } from './sbom/documents.ts';

const HERE = dirname(fileURLToPath(import.meta.url));

export interface Inputs {
  readonly kernel: DebianPackage;
  /** Packages of the programs, with their dependencies. */
  readonly tools: readonly DebianPackage[];
  readonly firmware: readonly DebianPackage[];
  /** Program of the build -> version. */
  readonly toolVersions: Readonly<Record<string, string>>;
  /** The bundled agent. It is built once, so that the digest is of the packed file even if the sources are edited. */
  readonly bundle: string;
  /** The bill of materials, as text. */
  readonly bom: string;
  readonly digest: string;
}

export async function gatherInputs(
  settings: { readonly profile: Profile; readonly zstdLevel: number },
  scratch: string,
  signal: AbortSignal,
): Promise<Inputs> {
  const { profile } = settings;
  const kernel = await packageBehind(KERNEL_PACKAGE[profile], 'linux-image-', signal);
  const tools = await resolvePackages([...new Set(Object.values(PROGRAMS))], signal);
  const wanted = FIRMWARE_PACKAGES[profile];
  const names = wanted.length === 0 ? [] : await knownPackages(wanted, signal);
  const firmware = names.length === 0 ? [] : await describePackages(names, signal);
  const versions = { ...(await toolVersions(signal)), node: await nodeVersion(signal) };
  const bundle = join(scratch, 'agent.cjs');
  await bundleAgent(join(HERE, '../agent/main.ts'), bundle);

  const bom = bomText(ramdiskBom([kernel, ...tools, ...firmware]));
  const hash = createHash('sha256').update(JSON.stringify([settings, versions]));
  hash.update(bom);
  for (const { name, version, sha256 } of [kernel, ...tools, ...firmware])
    hash.update(`${name}=${version} ${sha256}\n`);
  hash.update(await readFile(bundle));
  for (const source of await ownSources())
    hash.update(source.slice(HERE.length)).update(await readFile(source));
  return { kernel, tools, firmware, toolVersions: versions, bundle, bom, digest: hash.digest('hex') };
}

async function ownSources(): Promise<string[]> {
  const files = await readdir(HERE, { recursive: true, withFileTypes: true });
  return files
    .filter((entry) => entry.isFile() && !/node_modules/.test(entry.parentPath.slice(HERE.length)))
    .filter((entry) => !entry.name.endsWith('.test.ts'))
    .map((entry) => join(entry.parentPath, entry.name))
    .sort();
}
