/** Directories of bare roots: the next run removes that of a killed run and keeps one in use. */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';

const parent = mkdtempSync(join(tmpdir(), 'ingot-bare-test-'));
afterAll(() => rmSync(parent, { recursive: true, force: true }));

/** Runs a script in a process of its own, which has ended afterwards, like a killed run. */
const inProcess = (script: string): string =>
  execFileSync(process.execPath, ['--input-type=module', '-e', script], {
    encoding: 'utf8',
    env: { ...process.env, INGOT_BARE_PARENT: parent },
  }).trim();
const MODULE = JSON.stringify(new URL('directory.js', import.meta.url).href);
const LOAD = `const { claimDirectory, diskOf, imageOf, removeDirectory, sweepDirectories } = await import(${MODULE});`;

it('removes the directory of a killed run, and keeps one in use', () => {
  const left = inProcess(`${LOAD} console.log(claimDirectory())`);
  expect(readdirSync(left).sort()).toEqual(['disk', 'disk.img', 'owner']);
  const kept = inProcess(`${LOAD} const dir = claimDirectory(); sweepDirectories();
    const { existsSync } = await import('node:fs');
    const held = existsSync(imageOf(dir)) && existsSync(diskOf(dir));
    removeDirectory(dir); console.log(JSON.stringify({ held, removed: !existsSync(dir) }))`);
  expect(JSON.parse(kept)).toEqual({ held: true, removed: true });
  expect(existsSync(left)).toBe(false);
  expect(readdirSync(parent)).toEqual([]);
});
