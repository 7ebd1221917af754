/**
 * Finds the shared libraries of programs in unpacked packages by following DT_NEEDED.
 */
import { existsSync } from 'node:fs';
import { readFile, realpath } from 'node:fs/promises';
import { join } from 'node:path';
import { elfNeeds } from './elf.ts';

/** The library directories of Debian on amd64. */
const LIBRARY_DIRS = ['/lib/x86_64-linux-gnu', '/usr/lib/x86_64-linux-gnu', '/lib64', '/lib', '/usr/lib'];

/** Paths of the libraries inside `root`, which are also their paths in the ramdisk. Throws if one is missing. */
export async function librariesOf(root: string, programs: readonly string[]): Promise<string[]> {
  const found = new Set<string>();

  async function visit(path: string, by: string): Promise<void> {
    const needs = elfNeeds(await readFile(await realpath(join(root, path))));
    if (needs === undefined) throw new Error(`${path}, asked for by ${by}, is not an ELF file`);
    const wanted = [
      ...needs.libraries.map((name) => locate(root, name, path)),
      ...(needs.interpreter ? [needs.interpreter] : []),
    ];
    for (const library of wanted) {
      if (found.has(library)) continue;
      found.add(library);
      await visit(library, path);
    }
  }

  for (const program of programs) await visit(program, 'the list of programs');
  return [...found].sort();
}

function locate(root: string, name: string, by: string): string {
  const dir = LIBRARY_DIRS.find((one) => existsSync(join(root, one, name)));
  if (dir === undefined) throw new Error(`${by} needs ${name}, which is in none of the packages`);
  return `${dir}/${name}`;
}
