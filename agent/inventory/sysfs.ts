/** Reads short text files in /sys and /proc, which may be missing. */
import { readdir, readFile, readlink } from 'node:fs/promises';

/** The trimmed content, or null if the file is missing, unreadable or empty. */
export async function readText(path: string): Promise<string | null> {
  try {
    return (await readFile(path, 'utf8')).trim() || null;
  } catch {
    // Which attributes exist depends on the hardware.
    return null;
  }
}

export async function listDirectory(path: string): Promise<string[]> {
  try {
    return (await readdir(path)).sort();
  } catch {
    return [];
  }
}

/** The last part of a link's target, such as the name of a driver. */
export async function linkName(path: string): Promise<string | null> {
  try {
    return (await readlink(path)).split('/').at(-1) ?? null;
  } catch {
    return null;
  }
}
