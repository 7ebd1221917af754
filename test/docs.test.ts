/**
 * Every path and link in the documentation leads to an existing file or heading.
 */
import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

const ROOT = resolve(dirname(fileURLToPath(import.meta.url)), '..');
const PAGES = globSync('{*.md,docs/**/*.md}', { cwd: ROOT }).sort();

/** A word in code that starts with a folder of this repository; braces and stars are allowed: `conductor/api/{kit,ironic}/`. */
const PATH = /(?<![\w./@:~$-])(?:shared|agent|conductor|ramdisk-build|test|bin|docs)\/[\w./*{},-]*/g;
const CODE = /```.*?```|`[^`\n]+`/gs;
const LINK = /\]\(([^)\s]+)\)/g;

const read = (page: string) => readFileSync(join(ROOT, page), 'utf8');

function pathsIn(page: string): string[] {
  const code = [...read(page).matchAll(CODE)].map(([text]) => text);
  return code.flatMap((text) => [...text.matchAll(PATH)].map(([path]) => path.replace(/[.,]+$/, '')));
}

function linksIn(page: string): string[] {
  return [...read(page).replace(CODE, '').matchAll(LINK)]
    .map(([, target]) => target!)
    .filter((target) => !/^https?:/.test(target));
}

/** GitHub's anchor of a heading. */
function anchorsOf(page: string): string[] {
  const headings = [...read(page).matchAll(/^#+ (.+)$/gm)].map(([, text]) => text!);
  return headings.map((text) =>
    text
      .toLowerCase()
      .replace(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-'),
  );
}

function leadsSomewhere(page: string, link: string): boolean {
  const [file, anchor] = link.split('#') as [string, string?];
  const target = file === '' ? page : join(dirname(page), file);
  if (!existsSync(join(ROOT, target))) return false;
  return anchor === undefined || anchorsOf(target).includes(anchor);
}

/** The rooms with source files. Switching branches can leave empty folders behind. */
function roomsWithSources(): string[] {
  const folders = globSync(['{bin,shared,agent,ramdisk-build}/', 'conductor/*/', 'conductor/api/*/'], {
    cwd: ROOT,
  });
  return folders
    .map((path) => path.replace(/\/?$/, '/'))
    .filter((path) => !/node_modules|^conductor\/api\/$/.test(path))
    .filter(
      (room) => globSync(`${room}**/*.{ts,js}`, { cwd: ROOT, exclude: ['**/node_modules'] }).length > 0,
    );
}

it('README.md has a row for every room', () => {
  const rooms = roomsWithSources();
  expect(rooms).toEqual(expect.arrayContaining(['bin/', 'conductor/engine/', 'conductor/api/ironic/']));
  const named = new Set([...read('README.md').matchAll(/^\| `([^`]+)` \|/gm)].map(([, room]) => room!));
  expect(
    rooms.filter((room) => !named.has(room)),
    'Add a row for the room to the map in README.md.',
  ).toEqual([]);
});

describe.each(PAGES)('%s', (page) => {
  it('names only files that exist', () => {
    const missing = pathsIn(page).filter((path) => globSync(path, { cwd: ROOT }).length === 0);
    expect(
      [...new Set(missing)],
      `${page} names files that are not in the repository. If a file moved, write its new path in ${page}; ` +
        'if it is gone, change the sentence that names it.',
    ).toEqual([]);
  });

  it('links only to pages and headings that exist', () => {
    const broken = linksIn(page).filter((link) => !leadsSomewhere(page, link));
    expect(broken, `${page} has links to files or headings that do not exist: correct them.`).toEqual([]);
  });
});
