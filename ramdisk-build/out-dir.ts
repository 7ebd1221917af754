/**
 * The output directory of a build. New files are written to a staging directory in it and renamed at the end.
 *
 * A build that fails or is interrupted leaves the directory unchanged. If it created the directory, it removes it.
 */
import { mkdir, mkdtemp, readdir, readFile, rename, rm, rmdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { BuildFailure, explainFileError } from './failure.ts';

/** The manifest is last, because without it the result counts as not built. */
export const RESULT_FILES = ['vmlinuz', 'ramdisk.img', 'ramdisk.cdx.json', 'manifest.json'] as const;
/** The name of a staging directory, which contains the process id of its build. */
const STAGING = /^\.ingot-build-(\d+)-/;

export interface OutDir {
  /** The directory for the new files, on the same file system as the result. */
  readonly staging: string;
  /** Moves the files from the staging directory to the output directory. */
  publish(): Promise<void>;
  /** Removes the staging directory. */
  close(): Promise<void>;
}

/** Throws BuildFailure if the directory cannot be written to or contains other files. */
export async function openOutDir(path: string): Promise<OutDir> {
  try {
    // The topmost directory that was created.
    const topmost = await mkdir(path, { recursive: true });
    await refuseForeign(path);
    await removeStale(path);
    return staged(path, await mkdtemp(join(path, `.ingot-build-${process.pid}-`)), topmost);
  } catch (error) {
    throw explainFileError(error, '--out', path);
  }
}

/** Refuses a directory with other files, unless it contains the manifest of an earlier build. */
async function refuseForeign(path: string): Promise<void> {
  if ((await readManifestOf(path)) !== undefined) return;
  const known = new Set<string>(RESULT_FILES);
  const foreign = (await readdir(path)).filter((name) => !known.has(name) && !STAGING.test(name));
  if (foreign.length === 0) return;
  const some = foreign.sort().slice(0, 3).join(', ');
  throw new BuildFailure(
    `--out ${path}: not empty (${some}${foreign.length > 3 ? ', ...' : ''}) and not the result of a build; choose an empty or new directory`,
  );
}

/** undefined if there is no manifest of a build. */
export async function readManifestOf(path: string): Promise<Record<string, unknown> | undefined> {
  try {
    const manifest: unknown = JSON.parse(await readFile(join(path, 'manifest.json'), 'utf8'));
    const ours = typeof manifest === 'object' && manifest !== null && 'inputs' in manifest;
    return ours ? (manifest as Record<string, unknown>) : undefined;
  } catch (error) {
    if (error instanceof SyntaxError || (error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

/** Removes the staging directories of killed builds. */
async function removeStale(path: string): Promise<void> {
  for (const name of await readdir(path)) {
    const pid = Number(STAGING.exec(name)?.[1] ?? process.pid);
    if (!isAlive(pid)) await rm(join(path, name), { recursive: true, force: true });
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

function staged(path: string, staging: string, topmost: string | undefined): OutDir {
  let published = false;
  return {
    staging,
    async publish() {
      await rm(join(path, 'manifest.json'), { force: true });
      for (const name of RESULT_FILES) await rename(join(staging, name), join(path, name));
      published = true;
    },
    async close() {
      await rm(staging, { recursive: true, force: true });
      if (topmost !== undefined && !published) await removeEmpty(path, topmost);
    },
  };
}

/** Removes empty directories from `path` up to `topmost`. */
async function removeEmpty(path: string, topmost: string): Promise<void> {
  try {
    await rmdir(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOTEMPTY') return;
    throw error;
  }
  if (path !== topmost) await removeEmpty(dirname(path), topmost);
}
