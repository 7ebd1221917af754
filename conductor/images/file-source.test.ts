import { execFileSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import {
  type FileHandle,
  mkdir,
  mkdtemp,
  open,
  readFile,
  rm,
  symlink,
  utimes,
  writeFile,
} from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { checkFileUrl, openFileSource } from './file-source.ts';

let dir: string;
let allowed: string[];
const at = (name: string) => join(dir, name);
const url = (name: string) => `file://${at(name)}`;
const openDescriptors = () => readdirSync('/proc/self/fd').length;

beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'ingot-file-source-'));
  allowed = [at('images')];
  await mkdir(at('images'));
  await mkdir(at('images-not'));
  await writeFile(at('images/disk'), 'image');
  await writeFile(at('images-not/disk'), 'neighbour');
  await writeFile(at('secret'), 'secret');
});
afterEach(() => rm(dir, { recursive: true, force: true }));

async function contentOf(source: string): Promise<string> {
  const { handle, sizeBytes } = await openFileSource(source, allowed);
  try {
    const text = await handle.readFile('utf8');
    expect(text.length).toBe(sizeBytes);
    return text;
  } finally {
    await handle.close();
  }
}

describe('file sources', () => {
  it('are files under an allowed directory, after links are resolved', async () => {
    await symlink('disk', at('images/current'));
    await symlink('images', at('alias'));
    for (const name of ['images/disk', 'images/current', 'alias/disk', 'images/../images/disk'])
      await expect(contentOf(url(name)), name).resolves.toBe('image');
  });

  it('may be allowed by a link to a directory', async () => {
    await symlink('images', at('alias'));
    allowed = [at('alias')];
    await expect(contentOf(url('images/disk'))).resolves.toBe('image');
  });

  it.each([
    ['a file elsewhere', 'secret'],
    ['a directory whose name begins the same', 'images-not/disk'],
    ['a link that leads out', 'images/link'],
    ['a linked directory that leads out', 'images/out/secret'],
    ['dots that lead out', 'images/../secret'],
    ['escaped dots that lead out', 'images/%2e%2e/secret'],
  ])('are not %s', async (_, name) => {
    await symlink('../secret', at('images/link'));
    await symlink('..', at('images/out'));
    await expect(openFileSource(url(name), allowed)).rejects.toThrow(
      /^instance_info\/image_source: .* is not in a directory of images\.file_allow/,
    );
  });

  it('are regular files; directories and pipes are rejected at once', async () => {
    execFileSync('mkfifo', [at('images/pipe')]);
    await mkdir(at('images/deep'));
    for (const name of ['images/pipe', 'images/deep'])
      await expect(openFileSource(url(name), allowed), name).rejects.toThrow('is not a regular file');
  });

  it('report a missing file', async () => {
    await expect(openFileSource(url('images/none'), allowed)).rejects.toThrow(
      `instance_info/image_source: ${url('images/none')} does not exist`,
    );
    await symlink('none', at('images/dangling'));
    await expect(openFileSource(url('images/dangling'), allowed)).rejects.toThrow('does not exist');
  });

  it('are read from the checked file, even when the path is replaced later', async () => {
    const { handle } = await openFileSource(url('images/disk'), allowed);
    await rm(at('images/disk'));
    await symlink('../secret', at('images/disk'));
    await expect(handle.readFile('utf8')).resolves.toBe('image');
    await handle.close();
  });

  it('are read from the checked file, even when the path is replaced between check and use', async () => {
    const some = await open(at('images/disk'));
    const prototype = Object.getPrototypeOf(some) as FileHandle;
    await some.close();
    const { stat } = prototype;
    const swap = vi.spyOn(prototype, 'stat').mockImplementationOnce(async function (this: FileHandle) {
      await rm(at('images/disk'));
      await symlink('../secret', at('images/disk'));
      return stat.call(this, { bigint: true }) as never;
    });
    await expect(contentOf(url('images/disk'))).resolves.toBe('image');
    expect(swap).toHaveBeenCalledOnce();
    swap.mockRestore();
  });

  it('leave no descriptor open after an error', async () => {
    await expect(openFileSource(url('secret'), allowed)).rejects.toThrow();
    const before = openDescriptors();
    for (let turn = 0; turn < 5; turn += 1)
      await expect(openFileSource(url(turn % 2 === 0 ? 'secret' : 'images'), allowed)).rejects.toThrow();
    expect(openDescriptors()).toBe(before);
  });

  it('have an identity that changes with the content', async () => {
    const identity = async () => {
      const source = await openFileSource(url('images/disk'), allowed);
      await source.handle.close();
      return source.identity;
    };
    const first = await identity();
    expect(await identity()).toBe(first);
    await utimes(at('images/disk'), 1, 1);
    expect(await identity()).not.toBe(first);
    expect(await readFile(at('images/disk'), 'utf8')).toBe('image');
  });
});

describe('checkFileUrl', () => {
  it('the error says how to enable file images', () => {
    expect(() => checkFileUrl('file:///images/a', [])).toThrow(
      'instance_info/image_source: file:// images are disabled; set images.file_allow',
    );
  });

  it.each(['file://host/a', 'file:///a%00b', 'file:///a%2Fb'])('refuses %s', (source) => {
    expect(() => checkFileUrl(source, ['/'])).toThrow(/^instance_info\/image_source: a file URL must not/);
  });
});
