/** This working tree as a clean clone has it: without what is installed, built, or cached. */
import { cpSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const SOURCE = join(dirname(fileURLToPath(import.meta.url)), '../..');
/** Where the clone lies in the root. */
export const CLONE = '/root/ingot';
/** As .gitignore has it, and the history. */
const LEFT_OUT = new Set(['.git', 'node_modules', 'build', 'dist', '.cache', 'data']);

const belongs = (path) => {
  const name = basename(path);
  // `data` is the conductor's, at the top only.
  if (name === 'data') return dirname(path) !== join(SOURCE);
  return !LEFT_OUT.has(name) && !name.endsWith('.tsbuildinfo');
};

export function copySources(root) {
  cpSync(SOURCE, join(root, CLONE), { recursive: true, filter: (from) => from === SOURCE || belongs(from) });
}
