/** The Debian packages in bin/programs.json contain the programs and files that it names. */
import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';

interface Row {
  readonly package: string;
  readonly programs?: readonly string[];
  readonly files?: readonly string[];
}
const { host } = JSON.parse(await readFile(new URL('../bin/programs.json', import.meta.url), 'utf8')) as {
  readonly host: readonly Row[];
};
const DIRS = ['/bin', '/sbin', '/usr/bin', '/usr/sbin'];

it.each(host)('$package', async ({ package: name, programs = [], files = [] }) => {
  const { stdout } = await promisify(execFile)('dpkg-query', ['-L', name]);
  const held = new Set(stdout.split('\n'));
  expect(programs.filter((program) => !DIRS.some((dir) => held.has(`${dir}/${program}`)))).toEqual([]);
  expect(files.filter((file) => !held.has(file))).toEqual([]);
});
