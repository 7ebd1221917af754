/** This working tree as in a clean clone: without installed, built or cached files. */
import { cpSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const SOURCE = join(dirname(fileURLToPath(import.meta.url)), '../..');
/** The path of the clone in the root. */
export const CLONE = '/root/ingot';
/** The same directories as in .gitignore, and the history. */
const LEFT_OUT = new Set(['.git', 'node_modules', 'build', 'dist', '.cache', 'data']);

const belongs = (path) => {
  const name = basename(path);
  // Only the `data` at the top belongs to the conductor.
  if (name === 'data') return dirname(path) !== join(SOURCE);
  return !LEFT_OUT.has(name) && !name.endsWith('.tsbuildinfo');
};

export function copySources(root) {
  cpSync(SOURCE, join(root, CLONE), { recursive: true, filter: (from) => from === SOURCE || belongs(from) });
}
