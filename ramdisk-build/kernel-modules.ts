/**
 * Reads kernel modules and their dependencies from the .modinfo sections of the modules.
 *
 * A Debian kernel package contains no modules.dep: a maintainer script creates it. The modules.dep of the host
 * describes another kernel.
 */
import { readdir, readFile } from 'node:fs/promises';
import { basename, join, relative } from 'node:path';

export interface KernelModule {
  /** The name for modprobe, with underscores. */
  readonly name: string;
  /** Relative to the root of the unpacked package. */
  readonly path: string;
  readonly depends: readonly string[];
  readonly softDepends: readonly string[];
  /** Firmware files that it may load. */
  readonly firmware: readonly string[];
}

const canonical = (name: string): string => name.replaceAll('-', '_');
const nameOf = (path: string): string => canonical(basename(path).replace(/\.ko$/, ''));

/** The kernel release in `root`/lib/modules. */
export async function findRelease(root: string): Promise<string> {
  const [release, ...more] = await readdir(join(root, 'lib/modules'));
  if (release === undefined || more.length > 0)
    throw new Error(`${root}/lib/modules must contain exactly one kernel release`);
  return release;
}

/** Lists the paths of all modules by name, without reading the files. */
async function listModules(
  root: string,
  release: string,
): Promise<{ paths: Map<string, string>; builtin: Set<string> }> {
  const base = join(root, 'lib/modules', release);
  const entries = await readdir(join(base, 'kernel'), { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile() && entry.name.endsWith('.ko'));
  const paths = new Map(
    files.map((entry) => [nameOf(entry.name), relative(root, join(entry.parentPath, entry.name))]),
  );
  const builtin = (await readFile(join(base, 'modules.builtin'), 'utf8'))
    .split('\n')
    .filter(Boolean)
    .map(nameOf);
  return { paths, builtin: new Set(builtin) };
}

/**
 * The named modules and their dependencies in loading order. Throws if a name is neither a module nor built in, so that
 * a renamed driver is noticed in the build.
 */
export async function resolveModules(
  root: string,
  release: string,
  names: readonly string[],
): Promise<KernelModule[]> {
  const { paths, builtin } = await listModules(root, release);
  const found = new Map<string, KernelModule>();
  // Soft dependencies may be circular.
  const visited = new Set<string>();

  async function visit(name: string, soft: boolean): Promise<void> {
    const key = canonical(name);
    if (visited.has(key) || builtin.has(key)) return;
    visited.add(key);
    const path = paths.get(key);
    if (path === undefined) {
      if (soft) return;
      throw new Error(`kernel ${release} has no module ${name}`);
    }
    const module = parseModinfo(key, path, await readFile(join(root, path)));
    for (const needed of module.depends) await visit(needed, false);
    for (const needed of module.softDepends) await visit(needed, true);
    found.set(key, module);
  }

  for (const name of names) await visit(name, false);
  return [...found.values()];
}

/** `key=value` strings of the .modinfo section, which begins with a license or alias entry. */
export function parseModinfo(name: string, path: string, file: Buffer): KernelModule {
  const section = modinfoSection(file);
  const pairs = section
    .toString('latin1')
    .split('\0')
    .map((line) => line.split(/=(.*)/s) as [string, string?]);
  const all = (key: string): string[] =>
    pairs.filter(([k, v]) => k === key && v !== undefined && v !== '').map(([, v]) => v!);
  return {
    name,
    path,
    depends: all('depends')
      .flatMap((list) => list.split(','))
      .filter(Boolean),
    softDepends: all('softdep')
      .flatMap((text) => text.split(/\s+/))
      .filter((word) => word !== '' && !word.endsWith(':')),
    firmware: all('firmware'),
  };
}

/** Finds the section through the ELF section headers (64-bit little-endian). */
function modinfoSection(file: Buffer): Buffer {
  if (file.length < 64 || file.readUInt32BE(0) !== 0x7f454c46) throw new Error('not an ELF file');
  const at = Number(file.readBigUInt64LE(40));
  const size = file.readUInt16LE(58);
  const count = file.readUInt16LE(60);
  const offsetOf = (index: number): number => Number(file.readBigUInt64LE(at + index * size + 24));
  const names = offsetOf(file.readUInt16LE(62));
  for (let i = 0; i < count; i += 1) {
    const nameAt = names + file.readUInt32LE(at + i * size);
    if (file.toString('latin1', nameAt, nameAt + 9) !== '.modinfo\0') continue;
    const offset = offsetOf(i);
    return file.subarray(offset, offset + Number(file.readBigUInt64LE(at + i * size + 32)));
  }
  throw new Error('a kernel module without .modinfo');
}
