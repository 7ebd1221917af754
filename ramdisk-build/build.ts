/**
 * Builds the deploy ramdisk: `vmlinuz`, `ramdisk.img` and `manifest.json` from Debian packages and the agent.
 *
 * Builds are reproducible: the same packages, sources and tools give the same bytes. If the inputs have not changed
 * since the last build, nothing is built.
 */
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { copyFile, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { buildAgentExecutable } from './agent-executable.ts';
import type { Profile } from './contents.ts';
import { encodeCpio } from './cpio.ts';
import { downloadPackages, unpackPackages } from './debian-packages.ts';
import { BuildFailure, explainFileError } from './failure.ts';
import type { MissingFirmware } from './firmware.ts';
import { requireTools } from './host-tools.ts';
import { gatherInputs, type Inputs } from './inputs.ts';
import { type OutDir, openOutDir, readManifestOf } from './out-dir.ts';
import { ramdiskEntries } from './ramdisk-entries.ts';
import { run } from './run.ts';
import { overBudget, type SizeReport, sizeReport } from './size-report.ts';

const BUDGET = join(dirname(fileURLToPath(import.meta.url)), 'budget.json');
/** The smallest result within about a minute on two cores; docs/ramdisk.md compares the levels. */
export const SHIPPED_LEVEL = 17;

export interface BuildOptions {
  readonly outDir: string;
  readonly cacheDir: string;
  readonly profile: Profile;
  /** 1 to 19. The size budget is not checked below SHIPPED_LEVEL. */
  readonly zstdLevel?: number;
  readonly signal: AbortSignal;
  readonly onProgress?: (text: string) => void;
}

interface Artifact {
  readonly path: string;
  readonly bytes: number;
  readonly sha256: string;
}

export interface RamdiskReport {
  readonly kernel: Artifact;
  readonly ramdisk: Artifact;
  readonly unpackedBytes: number;
  readonly kernelRelease: string;
  readonly sizes: SizeReport;
  readonly missingFirmware: readonly MissingFirmware[];
  /** Whether the result of the last build is still valid. */
  readonly cached: boolean;
}

/** The content of manifest.json. It has no paths, so that it does not depend on the build directory. */
interface Manifest {
  readonly inputs: string;
  readonly profile: Profile;
  readonly kernelRelease: string;
  readonly files: Readonly<Record<'vmlinuz' | 'ramdisk.img' | 'ramdisk.cdx.json', Omit<Artifact, 'path'>>>;
  readonly unpackedBytes: number;
  readonly sizes: SizeReport;
  readonly missingFirmware: readonly MissingFirmware[];
  readonly packages: Readonly<Record<string, string>>;
  readonly tools: Readonly<Record<string, string>>;
}

/** Throws BuildFailure for errors that the operator can fix, and the signal's reason when it aborts. */
export async function buildRamdisk(options: BuildOptions): Promise<RamdiskReport> {
  requireTools();
  try {
    const work = await mkdtemp(join(tmpdir(), 'ingot-ramdisk-'));
    try {
      return await buildIn(work, options);
    } finally {
      await rm(work, { recursive: true, force: true });
    }
  } catch (error) {
    throw explainFileError(error, 'temporary files (TMPDIR)', tmpdir());
  }
}

async function buildIn(work: string, options: BuildOptions): Promise<RamdiskReport> {
  const { outDir, profile, zstdLevel = SHIPPED_LEVEL, signal } = options;
  options.onProgress?.('resolving packages');
  const inputs = await gatherInputs({ profile, zstdLevel }, work, signal);
  const known = await builtBefore(outDir, inputs.digest);
  if (known !== undefined) return { ...reportOf(outDir, known), cached: true };
  const out = await openOutDir(outDir);
  try {
    const manifest = await assemble({ ...options, zstdLevel }, inputs, work, out);
    await out.publish();
    return { ...reportOf(outDir, manifest), cached: false };
  } catch (error) {
    // The error of a program contains its arguments, and a file error its path.
    const inOut = error instanceof Error && error.message.includes(out.staging);
    throw inOut ? explainFileError(error, '--out', outDir) : error;
  } finally {
    await out.close();
  }
}

async function assemble(
  { cacheDir, profile, zstdLevel, signal, onProgress }: BuildOptions & { readonly zstdLevel: number },
  inputs: Inputs,
  work: string,
  out: OutDir,
): Promise<Manifest> {
  const say = onProgress ?? (() => undefined);
  const packages = [inputs.kernel, ...inputs.tools, ...inputs.firmware];
  const debs = join(cacheDir, 'debs');
  say(`downloading ${packages.length} packages, except those already in ${debs}`);
  await downloadPackages(packages, debs, signal);
  say('unpacking');
  const [kernelRoot, toolRoot, firmwareRoot] = ['kernel', 'tools', 'firmware'].map((name) =>
    join(work, name),
  ) as [string, string, string];
  await unpackPackages([inputs.kernel], debs, kernelRoot, signal);
  await unpackPackages(inputs.tools, debs, toolRoot, signal);
  await unpackPackages(inputs.firmware, debs, firmwareRoot, signal);
  say('packaging the agent');
  const agent = await buildAgentExecutable({ outDir: join(work, 'agent'), bundle: inputs.bundle, signal });
  say('collecting files');
  const roots = { kernelRoot, toolRoot, firmwareRoot };
  const collected = await ramdiskEntries({ ...roots, agentPath: agent.path, profile, signal, work });
  const cpio = encodeCpio(collected.entries);
  say(`compressing ${(cpio.length / 1e6).toFixed(0)} MB`);
  const ramdisk = join(out.staging, 'ramdisk.img');
  await compress(cpio, ramdisk, zstdLevel, work, signal);
  const vmlinuz = join(out.staging, 'vmlinuz');
  await copyFile(join(kernelRoot, 'boot', `vmlinuz-${collected.release}`), vmlinuz);

  const bom = join(out.staging, 'ramdisk.cdx.json');
  await writeFile(bom, inputs.bom);

  const files = {
    vmlinuz: await measured(vmlinuz),
    'ramdisk.img': await measured(ramdisk),
    'ramdisk.cdx.json': await measured(bom),
  };
  const sizes = await sizeReport({
    entries: collected.entries,
    kernelBytes: files.vmlinuz.bytes,
    ramdiskBytes: files['ramdisk.img'].bytes,
    budgetBytes: budgetBytes(),
  });
  const tooBig = zstdLevel < SHIPPED_LEVEL ? undefined : overBudget(sizes);
  if (tooBig !== undefined) throw new BuildFailure(tooBig);
  const manifest: Manifest = {
    inputs: inputs.digest,
    profile,
    kernelRelease: collected.release,
    files,
    unpackedBytes: cpio.length,
    sizes,
    missingFirmware: collected.missingFirmware,
    packages: Object.fromEntries(packages.map(({ name, version }) => [name, version])),
    tools: inputs.toolVersions,
  };
  await writeFile(join(out.staging, 'manifest.json'), `${JSON.stringify(manifest, null, 2)}\n`);
  signal.throwIfAborted();
  return manifest;
}

const budgetBytes = (): number =>
  (JSON.parse(readFileSync(BUDGET, 'utf8')) as { totalMegabytes: number }).totalMegabytes * 1e6;

/**
 * Uses the zstd program, whose output does not depend on the number of threads. Node's zstdCompress returns nothing
 * when it is given workers (24.21).
 */
async function compress(
  cpio: Buffer,
  target: string,
  level: number,
  work: string,
  signal: AbortSignal,
): Promise<void> {
  const plain = join(work, 'ramdisk.cpio');
  await writeFile(plain, cpio);
  await run('zstd', ['-q', `-${level}`, '-T0', plain, '-o', target], { signal });
  await rm(plain);
}

async function measured(path: string): Promise<Omit<Artifact, 'path'>> {
  const data = await readFile(path);
  return { bytes: data.length, sha256: createHash('sha256').update(data).digest('hex') };
}

/** The manifest of an earlier build with the same inputs, if its files exist with the right size. */
async function builtBefore(outDir: string, inputs: string): Promise<Manifest | undefined> {
  const found = await readManifestOf(outDir);
  if (found?.['inputs'] !== inputs) return undefined;
  const manifest = found as unknown as Manifest;
  for (const [name, { bytes }] of Object.entries(manifest.files)) {
    const there = await stat(join(outDir, name)).catch(() => undefined);
    if (there?.size !== bytes) return undefined;
  }
  return manifest;
}

function reportOf(outDir: string, manifest: Manifest): Omit<RamdiskReport, 'cached'> {
  const { unpackedBytes, kernelRelease, sizes, missingFirmware, files } = manifest;
  return {
    kernel: { path: join(outDir, 'vmlinuz'), ...files.vmlinuz },
    ramdisk: { path: join(outDir, 'ramdisk.img'), ...files['ramdisk.img'] },
    unpackedBytes,
    kernelRelease,
    sizes,
    missingFirmware,
  };
}
