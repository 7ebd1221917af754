/** A tree of small files and links in a temporary directory, such as parts of /sys and /proc; removed after the test. */
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { onTestFinished } from 'vitest';

/** Path -> contents, or `{ link }` with a literal target, or `{ directory: true }`. */
export type TreeEntries = Readonly<
  Record<string, string | Buffer | { readonly link: string } | { readonly directory: true }>
>;

export function makeTree(entries: TreeEntries): string {
  const root = mkdtempSync(join(tmpdir(), 'ingot-tree-'));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  for (const [path, entry] of Object.entries(entries)) {
    const at = join(root, path);
    mkdirSync(dirname(at), { recursive: true });
    if (typeof entry === 'string' || Buffer.isBuffer(entry)) writeFileSync(at, entry);
    else if ('link' in entry) symlinkSync(entry.link, at);
    else mkdirSync(at, { recursive: true });
  }
  return root;
}
