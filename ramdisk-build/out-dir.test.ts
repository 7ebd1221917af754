import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openOutDir, RESULT_FILES, readManifestOf } from './out-dir.ts';

let root: string;
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'ingot-out-'));
});
afterEach(() => rm(root, { recursive: true, force: true }));

async function writeResult(dir: string, text: string): Promise<void> {
  for (const name of RESULT_FILES)
    await writeFile(join(dir, name), name === 'manifest.json' ? JSON.stringify({ inputs: text }) : text);
}

describe('the directory of the result', () => {
  it('contains only the three files after a build', async () => {
    const path = join(root, 'deep/new');
    const out = await openOutDir(path);
    await writeResult(out.staging, 'one');
    await out.publish();
    await out.close();
    expect((await readdir(path)).sort()).toEqual([...RESULT_FILES].sort());
    expect(await readManifestOf(path)).toEqual({ inputs: 'one' });
  });

  it('is removed after a failed build that had created it, with its parents', async () => {
    const out = await openOutDir(join(root, 'deep/new'));
    await writeFile(join(out.staging, 'vmlinuz'), 'half');
    await out.close();
    expect(await readdir(root)).toEqual([]);
  });

  it('stays when another program has written a file to it in the meantime', async () => {
    const path = join(root, 'deep/new');
    const out = await openOutDir(path);
    await writeFile(join(path, 'theirs'), '');
    await out.close();
    expect(await readdir(path)).toEqual(['theirs']);
  });

  it('keeps the last build when the next one fails', async () => {
    await writeResult(root, 'old');
    const out = await openOutDir(root);
    await writeFile(join(out.staging, 'vmlinuz'), 'half');
    await out.close();
    expect((await readdir(root)).sort()).toEqual([...RESULT_FILES].sort());
    expect(await readFile(join(root, 'vmlinuz'), 'utf8')).toBe('old');
  });

  it('rejects a directory with other files, and names them', async () => {
    await writeFile(join(root, 'photo.jpg'), '');
    await expect(openOutDir(root)).rejects.toThrow(/not empty \(photo\.jpg\) and not the result of a build/);
    expect(await readdir(root)).toEqual(['photo.jpg']);
  });

  it('accepts a directory with an earlier build, whatever else it contains', async () => {
    await writeResult(root, 'old');
    await writeFile(join(root, 'notes.txt'), '');
    const out = await openOutDir(root);
    await writeResult(out.staging, 'new');
    await out.publish();
    await out.close();
    expect(await readFile(join(root, 'vmlinuz'), 'utf8')).toBe('new');
    expect(existsSync(join(root, 'notes.txt'))).toBe(true);
  });

  it('rejects a file, and a directory below a file', async () => {
    await writeFile(join(root, 'file'), '');
    await expect(openOutDir(join(root, 'file'))).rejects.toThrow(
      /--out .*file: there is a file of that name/,
    );
    await expect(openOutDir(join(root, 'file/below'))).rejects.toThrow(/is a file and not a directory/);
  });

  it('removes leftovers of a killed build, but not those of a running one', async () => {
    const ended = execFileSync(process.execPath, [
      '-e',
      'process.stdout.write(String(process.pid))',
    ]).toString();
    await mkdir(join(root, `.ingot-build-${ended}-abcdef`));
    await mkdir(join(root, `.ingot-build-${process.ppid}-abcdef`));
    const out = await openOutDir(root);
    await out.close();
    expect(await readdir(root)).toEqual([`.ingot-build-${process.ppid}-abcdef`]);
  });

  it('treats an incomplete manifest as missing', async () => {
    await writeFile(join(root, 'manifest.json'), '{"inputs": "x');
    expect(await readManifestOf(root)).toBeUndefined();
  });
});

it.each(['null', '7', '"inputs"', '{}', '[]', '{'])(
  'a manifest.json with %s is not of a build',
  async (text) => {
    await writeFile(join(root, 'manifest.json'), text);
    expect(await readManifestOf(root)).toBeUndefined();
  },
);
