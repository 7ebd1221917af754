/**
 * Collects the files of the ramdisk from the unpacked packages, the agent and rootfs/.
 */
import { cp, lstat, mkdir, readdir, readFile, readlink, realpath, rm } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { MODULES, PROGRAMS, type Profile } from './contents.ts';
import type { CpioEntry } from './cpio.ts';
import { firmwareEntries, type MissingFirmware } from './firmware.ts';
import { toolPath } from './host-tools.ts';
import { findRelease, type KernelModule, resolveModules } from './kernel-modules.ts';
import { run } from './run.ts';
import { librariesOf } from './shared-libraries.ts';

const ROOTFS = join(dirname(fileURLToPath(import.meta.url)), 'rootfs');

export interface Ingredients {
  /** Unpacked kernel package. */
  readonly kernelRoot: string;
  /** Unpacked packages of the programs, with their dependencies. */
  readonly toolRoot: string;
  /** Unpacked firmware packages; may be empty. */
  readonly firmwareRoot: string;
  readonly agentPath: string;
  readonly profile: Profile;
  /** Scratch directory. */
  readonly work: string;
  readonly signal: AbortSignal;
}

export interface Collected {
  readonly entries: readonly CpioEntry[];
  readonly release: string;
  readonly missingFirmware: readonly MissingFirmware[];
}

const file = (path: string, mode: number, data: Uint8Array): CpioEntry => ({
  kind: 'file',
  path,
  mode,
  data,
});
/** Archive paths have no leading slash. */
const inside = (path: string): string => path.replace(/^\/+/, '');

export async function ramdiskEntries(given: Ingredients): Promise<Collected> {
  const release = await findRelease(given.kernelRoot);
  const modules = await resolveModules(given.kernelRoot, release, MODULES[given.profile]);
  const firmware = await firmwareEntries(modules, given.firmwareRoot);
  const entries = [
    ...(await programEntries(given)),
    ...(await moduleEntries(given, release, modules)),
    ...firmware.entries,
    file('usr/bin/ingot-agent', 0o755, await readFile(given.agentPath)),
    file('init', 0o755, await readFile(join(ROOTFS, 'init'))),
    file('usr/share/udhcpc.script', 0o755, await readFile(join(ROOTFS, 'udhcpc.script'))),
    file('etc/passwd', 0o644, Buffer.from('root:x:0:0:root:/root:/bin/sh\n')),
    file('etc/group', 0o644, Buffer.from('root:x:0:\n')),
    ...['dev', 'proc', 'sys', 'run', 'tmp', 'root', 'mnt', 'var'].map(
      (path): CpioEntry => ({ kind: 'directory', path }),
    ),
    { kind: 'character device', path: 'dev/console', mode: 0o600, major: 5, minor: 1 } as const,
  ];
  return { entries, release, missingFirmware: firmware.missing };
}

/** Programs and their libraries. Links are followed, so each file has the name that is asked for. */
async function programEntries({ toolRoot, agentPath, work }: Ingredients): Promise<CpioEntry[]> {
  const programs = Object.keys(PROGRAMS);
  await mkdir(work, { recursive: true });
  // The agent's libraries are in the same packages.
  const agentInTools = '/usr/bin/.ingot-agent';
  await cp(agentPath, join(toolRoot, agentInTools));
  const libraries = await librariesOf(toolRoot, [...programs, agentInTools]);
  const copied = await Promise.all(
    [...programs, ...libraries].map(async (path) =>
      file(inside(path), 0o755, await readFile(await realpath(join(toolRoot, path)))),
    ),
  );
  const links: CpioEntry[] = ['modprobe', 'lsmod', 'depmod'].map((name) => ({
    kind: 'link',
    path: `sbin/${name}`,
    target: '/bin/kmod',
  }));
  return [...copied, ...links];
}

/** The files of depmod that libkmod reads. The others contain the same as text. */
const MODULE_INDEXES = [
  'modules.dep.bin',
  'modules.alias.bin',
  'modules.symbols.bin',
  'modules.builtin.bin',
  'modules.builtin.alias.bin',
  'modules.softdep',
];

/** The modules at their paths, with the indexes that depmod creates for exactly these modules. */
async function moduleEntries(
  { kernelRoot, work, signal }: Ingredients,
  release: string,
  modules: readonly KernelModule[],
): Promise<CpioEntry[]> {
  const root = join(work, 'modules');
  const base = join(root, 'lib/modules', release);
  await mkdir(base, { recursive: true });
  for (const module of modules) {
    await mkdir(dirname(join(root, module.path)), { recursive: true });
    await cp(join(kernelRoot, module.path), join(root, module.path));
  }
  for (const name of ['modules.builtin', 'modules.builtin.modinfo', 'modules.order']) {
    await cp(join(kernelRoot, 'lib/modules', release, name), join(base, name));
  }
  await run('depmod', ['-b', root, release], { signal, env: { PATH: toolPath() } });
  for (const name of await readdir(base))
    if (name.startsWith('modules.') && !MODULE_INDEXES.includes(name)) await rm(join(base, name));
  return entriesUnder(root);
}

async function entriesUnder(root: string): Promise<CpioEntry[]> {
  const found = await readdir(root, { recursive: true, withFileTypes: true });
  const paths = found
    .filter((entry) => !entry.isDirectory())
    .map((entry) => join(entry.parentPath, entry.name));
  return Promise.all(
    paths.map(async (path): Promise<CpioEntry> => {
      const name = relative(root, path);
      if ((await lstat(path)).isSymbolicLink())
        return { kind: 'link', path: name, target: await readlink(path) };
      return file(name, 0o644, await readFile(path));
    }),
  );
}
