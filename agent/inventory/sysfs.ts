/** Reading /sys and /proc: short text files that may be missing. */
import { readdir, readFile, readlink } from 'node:fs/promises';

/** Trimmed contents, or null when the file is missing, unreadable or empty. */
export async function readText(path: string): Promise<string | null> {
  try {
    return (await readFile(path, 'utf8')).trim() || null;
  } catch {
    // Attributes come and go with the hardware; missing is an answer.
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

/** Last part of what a link points to: the name of a driver, a PCI address. */
export async function linkName(path: string): Promise<string | null> {
  try {
    return (await readlink(path)).split('/').at(-1) ?? null;
  } catch {
    return null;
  }
}
