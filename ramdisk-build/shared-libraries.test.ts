/** Uses the Node executable of this machine. */
import { mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { librariesOf } from './shared-libraries.ts';

it('are found for a program, with the libraries of the libraries and the interpreter', async () => {
  const found = await librariesOf('/', [process.execPath]);
  expect(found).toEqual([...found].sort());
  expect(new Set(found).size).toBe(found.length);
  expect(found.some((path) => path.endsWith('/libc.so.6'))).toBe(true);
  expect(found).toContain('/lib64/ld-linux-x86-64.so.2');
});

it('must be ELF files and in the packages', async () => {
  const root = await mkdtemp(join(tmpdir(), 'ingot-libraries-'));
  onTestFinished(() => rm(root, { recursive: true }));
  await writeFile(join(root, 'script'), '#!/bin/sh\n');
  await expect(librariesOf(root, ['/script'])).rejects.toThrow(
    '/script, asked for by the list of programs, is not an ELF file',
  );
  await symlink(process.execPath, join(root, 'node'));
  await expect(librariesOf(root, ['/node'])).rejects.toThrow(
    /^\/node needs .*, which is in none of the packages$/,
  );
});
