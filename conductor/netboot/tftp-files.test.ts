import { mkdir, mkdtemp, rm, symlink, truncate, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createTftpFiles, type TftpFiles } from './tftp-files.ts';

let dir: string;
let files: TftpFiles;

beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'tftp-files-'));
  const root = join(dir, 'root');
  await mkdir(join(root, 'sub'), { recursive: true });
  await mkdir(join(dir, 'root-beside'));
  await writeFile(join(dir, 'secret'), 'secret');
  await writeFile(join(dir, 'root-beside', 'secret'), 'secret');
  await writeFile(join(root, 'a.efi'), 'program');
  await writeFile(join(root, 'sub', 'b.efi'), 'other');
  await symlink('a.efi', join(root, 'inside'));
  await symlink('../secret', join(root, 'outside'));
  await symlink(dir, join(root, 'updir'));
  await writeFile(join(root, 'large'), '');
  await truncate(join(root, 'large'), 32 * 1024 * 1024 + 1);
  files = createTftpFiles(root);
});
afterAll(() => rm(dir, { recursive: true, force: true }));

describe('files that TFTP serves', () => {
  it.each([
    ['a.efi', 'program'],
    ['/a.efi', 'program'],
    ['//a.efi', 'program'],
    ['\\a.efi', 'program'],
    ['sub\\b.efi', 'other'],
    ['sub/../a.efi', 'program'],
    ['inside', 'program'],
    ['autoexec.ipxe', ''],
    ['/sub/autoexec.ipxe', ''],
  ])('%s', async (name, content) => {
    expect((await files.read(name, '10.1.0.9'))?.toString()).toBe(content);
  });

  it.each([
    '../secret',
    '..\\secret',
    '/../../../../etc/passwd',
    'sub/../../secret',
    'outside',
    'updir/secret',
    '../root-beside/secret',
    'sub',
    '.',
    '',
    '/',
    'absent',
    'a.efi/x',
    'a.efi\0.txt',
    'large',
    `${'/'.repeat(300)}a.efi`,
    'x'.repeat(5000),
  ])('not %s', async (name) => {
    expect(await files.read(name, '10.1.0.9')).toBeUndefined();
  });

  it('notices that a file was replaced', async () => {
    const path = join(dir, 'root', 'changing');
    await writeFile(path, 'one');
    expect((await files.read('changing', '10.1.0.9'))?.toString()).toBe('one');
    await writeFile(path, 'second');
    await utimes(path, new Date(1), new Date(1));
    expect((await files.read('changing', '10.1.0.9'))?.toString()).toBe('second');
  });

  it('reports when its root does not exist', async () => {
    await expect(createTftpFiles(join(dir, 'no-such-root')).read('a.efi', '10.1.0.9')).rejects.toThrow(
      'ENOENT',
    );
  });
});
