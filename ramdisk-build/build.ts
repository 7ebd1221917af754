/**
 * Builds the deploy ramdisk: `vmlinuz`, `ramdisk.img` and `manifest.json` from Debian packages and the agent.
 *
 * The same packages and the same sources give the same bytes. A build whose inputs have not
 * changed since the last one returns at once.
 */
import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { copyFile, mkdir, mkdtemp, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { buildAgentExecutable, bundleAgent } from './agent-executable.ts';
import { KERNEL_PACKAGE, PROGRAMS, type Profile } from './contents.ts';
import { encodeCpio } from './cpio.ts';
import {
  type DebianPackage,
  describePackages,
  downloadPackages,
  resolvePackages,
  unpackPackages,
} from './debian-packages.ts';
import { ramdiskEntries } from './ramdisk-entries.ts';
import { run } from './run.ts';

const HERE = dirname(fileURLToPath(import.meta.url));
/** Fits the ramdisk in the fewest bytes that still compress in a few seconds on two cores. */
const ZSTD_LEVEL = 17;

export interface BuildOptions {
  readonly outDir: string;
  readonly cacheDir: string;
  readonly profile: Profile;
  readonly signal: AbortSignal;
  readonly onProgress?: (text: string) => void;
}

export interface RamdiskReport {
  readonly kernel: { readonly path: string; readonly bytes: number };
  readonly ramdisk: { readonly path: string; readonly bytes: number };
  readonly unpackedBytes: number;
  readonly kernelRelease: string;
  /** Largest files of the ramdisk, unpacked. */
  readonly largest: readonly { readonly path: string; readonly bytes: number }[];
  readonly budgetBytes: number;
  /** Nothing had changed. */
  readonly cached: boolean;
}

interface Manifest extends Omit<RamdiskReport, 'cached'> {
  readonly inputs: string;
  readonly profile: Profile;
  readonly packages: Readonly<Record<string, string>>;
  readonly digests: { readonly vmlinuz: string; readonly 'ramdisk.img': string };
}

export async function buildRamdisk(options: BuildOptions): Promise<RamdiskReport> {
  const { outDir, cacheDir, profile, signal } = options;
  const say = options.onProgress ?? (() => undefined);
  const work = await mkdtemp(join(tmpdir(), 'ingot-ramdisk-'));
  try {
    say('resolving packages');
    const kernelPackage = await kernelFor(profile, signal);
    const packages = await resolvePackages([...new Set(Object.values(PROGRAMS))], signal);
    const bundle = join(work, 'bundle.cjs');
    await bundleAgent(join(HERE, '../agent/main.ts'), bundle);
    const inputs = await inputsDigest(profile, [kernelPackage, ...packages], bundle);
    const known = await readManifest(outDir);
    if (known?.inputs === inputs) return { ...known, cached: true };

    say(`downloading ${packages.length + 1} packages`);
    await downloadPackages([kernelPackage, ...packages], join(cacheDir, 'debs'), signal);
    say('unpacking');
    const [kernelRoot, toolRoot] = [join(work, 'kernel'), join(work, 'tools')];
    await unpackPackages([kernelPackage], join(cacheDir, 'debs'), kernelRoot, signal);
    await unpackPackages(packages, join(cacheDir, 'debs'), toolRoot, signal);
    say('packaging the agent');
    const agent = await buildAgentExecutable({ outDir: join(work, 'agent'), signal });
    say('collecting files');
    const collected = await ramdiskEntries({
      kernelRoot,
      toolRoot,
      agentPath: agent.path,
      profile,
      signal,
      work,
    });
    const cpio = encodeCpio(collected.entries);
    say(`compressing ${(cpio.length / 1e6).toFixed(0)} MB`);
    const compressed = await compress(cpio, work, signal);
    return await publish({
      outDir,
      profile,
      inputs,
      kernelRoot,
      cpio,
      compressed,
      collected,
      packages: [kernelPackage, ...packages],
    });
  } finally {
    await rm(work, { recursive: true, force: true });
  }
}

/** The meta package names the kernel itself, which is all we take of it. */
async function kernelFor(profile: Profile, signal: AbortSignal): Promise<DebianPackage> {
  const listing = await run('apt-cache', ['depends', '--important', KERNEL_PACKAGE[profile]], { signal });
  const name = /Depends: (linux-image-\S+)/.exec(listing)?.[1];
  if (name === undefined)
    throw new Error(`apt knows no kernel behind ${KERNEL_PACKAGE[profile]}; run apt-get update`);
  const [found] = await describePackages([name], signal);
  if (found === undefined) throw new Error(`apt cannot show ${name}`);
  return found;
}

async function inputsDigest(
  profile: Profile,
  packages: readonly DebianPackage[],
  bundle: string,
): Promise<string> {
  const hash = createHash('sha256').update(profile).update(process.version);
  for (const { name, version } of packages) hash.update(`${name}=${version}\n`);
  hash.update(await readFile(bundle));
  const sources = (await readdir(HERE, { recursive: true, withFileTypes: true }))
    .filter(
      (entry) =>
        entry.isFile() && !entry.parentPath.includes('node_modules') && !entry.name.endsWith('.test.ts'),
    )
    .map((entry) => join(entry.parentPath, entry.name))
    .sort();
  for (const source of sources) hash.update(source.slice(HERE.length)).update(await readFile(source));
  return hash.digest('hex');
}

/**
 * By the zstd program: its output does not depend on the number of threads, and Node's own one-shot
 * call answers nothing when it is given workers (24.21).
 */
async function compress(cpio: Buffer, work: string, signal: AbortSignal): Promise<Buffer> {
  const [plain, packed] = [join(work, 'ramdisk.cpio'), join(work, 'ramdisk.zst')];
  await writeFile(plain, cpio);
  await run('zstd', ['-q', `-${ZSTD_LEVEL}`, '-T2', plain, '-o', packed], { signal });
  return readFile(packed);
}

async function readManifest(outDir: string): Promise<Manifest | undefined> {
  const path = join(outDir, 'manifest.json');
  const whole = ['manifest.json', 'vmlinuz', 'ramdisk.img'].every((name) => existsSync(join(outDir, name)));
  return whole ? (JSON.parse(await readFile(path, 'utf8')) as Manifest) : undefined;
}

interface Result {
  readonly outDir: string;
  readonly profile: Profile;
  readonly inputs: string;
  readonly kernelRoot: string;
  readonly cpio: Buffer;
  readonly compressed: Buffer;
  readonly collected: Awaited<ReturnType<typeof ramdiskEntries>>;
  readonly packages: readonly DebianPackage[];
}

/** The manifest is written last: without it the pair counts as not built. */
async function publish(result: Result): Promise<RamdiskReport> {
  const { outDir, collected, compressed } = result;
  await mkdir(outDir, { recursive: true });
  await rm(join(outDir, 'manifest.json'), { force: true });
  const kernel = { path: join(outDir, 'vmlinuz'), bytes: 0 };
  await copyFile(join(result.kernelRoot, 'boot', `vmlinuz-${collected.release}`), kernel.path);
  const vmlinuz = await readFile(kernel.path);
  const ramdisk = { path: join(outDir, 'ramdisk.img'), bytes: compressed.length };
  await writeFile(ramdisk.path, compressed);

  const budget = JSON.parse(readFileSync(join(HERE, 'budget.json'), 'utf8')) as { totalMegabytes: number };
  const digest = (data: Buffer): string => createHash('sha256').update(data).digest('hex');
  const manifest: Manifest = {
    inputs: result.inputs,
    profile: result.profile,
    kernelRelease: collected.release,
    kernel: { ...kernel, bytes: vmlinuz.length },
    ramdisk,
    unpackedBytes: result.cpio.length,
    budgetBytes: budget.totalMegabytes * 1e6,
    largest: collected.largest,
    digests: { vmlinuz: digest(vmlinuz), 'ramdisk.img': digest(compressed) },
    packages: Object.fromEntries(result.packages.map(({ name, version }) => [name, version])),
  };
  if (manifest.kernel.bytes + ramdisk.bytes > manifest.budgetBytes) {
    throw new Error(
      `kernel and ramdisk are ${((manifest.kernel.bytes + ramdisk.bytes) / 1e6).toFixed(1)} MB, over the budget of ${budget.totalMegabytes} MB (ramdisk-build/budget.json)`,
    );
  }
  const temporary = join(outDir, '.manifest.json');
  await writeFile(temporary, `${JSON.stringify(manifest, null, 2)}\n`);
  await rename(temporary, join(outDir, 'manifest.json'));
  return { ...manifest, cached: false };
}
