/**
 * Builds that fail: their error texts, and that they leave no files behind. Needs root for the small file systems and
 * the network namespace without a network.
 */
import { execFileSync, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openOutDir } from './out-dir.ts';

const ROOT = resolve(import.meta.dirname, '..');
const CACHE = join(ROOT, '.cache');
const LIMIT_MS = 300_000;

let scratch: string;
let mounts: string[];

beforeEach(async () => {
  mounts = [];
  scratch = await mkdtemp(join(tmpdir(), 'ingot-failures-'));
  await mkdir(join(scratch, 'tmp'));
});
afterEach(async () => {
  for (const path of mounts) execFileSync('umount', [path]);
  await rm(scratch, { recursive: true, force: true });
});

interface Attempt {
  readonly cache?: string;
  readonly temporary?: string;
  /** Programs that start the build, outermost first. */
  readonly under?: readonly string[];
  readonly path?: string;
  /** SIGINT is sent once the error output holds this. */
  readonly interruptAt?: string;
}

interface Ended {
  readonly code: number | null;
  readonly stderr: string;
}

/** Runs `ingot ramdisk build` into scratch/out. */
function attempt(given: Attempt = {}): Promise<Ended> {
  const cli = [process.execPath, join(ROOT, 'bin/ingot.js'), 'ramdisk', 'build', '--zstd-level', '1'];
  const dirs = ['--out', join(scratch, 'out'), '--cache', given.cache ?? CACHE];
  const [program, ...args] = [...(given.under ?? []), ...cli, ...dirs] as [string, ...string[]];
  const temporary = given.temporary ?? join(scratch, 'tmp');
  const child = spawn(program, args, {
    stdio: ['ignore', 'ignore', 'pipe'],
    env: { ...process.env, PATH: given.path ?? process.env['PATH'], TMPDIR: temporary },
  });
  let stderr = '';
  let interrupted = false;
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr += text;
    if (interrupted || given.interruptAt === undefined || !stderr.includes(given.interruptAt)) return;
    interrupted = true;
    child.kill('SIGINT');
  });
  return new Promise((done, failed) => {
    child.once('error', failed);
    child.once('close', (code) => done({ code, stderr }));
  });
}

async function smallDisk(name: string, size: string): Promise<string> {
  const path = join(scratch, name);
  await mkdir(path, { recursive: true });
  execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${size}`, 'tmpfs', path]);
  mounts.push(path);
  return path;
}

const leftInTmp = (): Promise<string[]> => readdir(join(scratch, 'tmp'));

describe('a build that can not succeed', () => {
  it.each(['unpacking', 'compressing'])(
    'removes its files when it is interrupted while %s',
    async (stage) => {
      const { code, stderr } = await attempt({ interruptAt: stage });
      expect(stderr).toMatch(/ingot: interrupted; nothing was changed\n$/);
      expect(code).toBe(130);
      expect(await leftInTmp()).toEqual([]);
      expect(existsSync(join(scratch, 'out'))).toBe(false);
    },
    LIMIT_MS,
  );

  it(
    'reports that the archive can not be reached',
    async () => {
      const cache = join(scratch, 'cache');
      const { code, stderr } = await attempt({ cache, under: ['unshare', '--net'] });
      expect(stderr).toMatch(
        /ingot: apt could not download \d+ packages: E: .*can be reached, and run apt-get update/,
      );
      expect(stderr).not.toContain('    at ');
      expect(code).toBe(1);
      expect(await readdir(join(cache, 'debs'))).toEqual([]);
      expect(existsSync(join(scratch, 'out'))).toBe(false);
      expect(await leftInTmp()).toEqual([]);
    },
    LIMIT_MS,
  );

  it(
    'names missing programs before it starts',
    async () => {
      const empty = join(scratch, 'empty');
      await mkdir(empty);
      const { code, stderr } = await attempt({ path: empty });
      // Programs in /usr/sbin and /sbin are found even if PATH does not contain them.
      expect(stderr).toMatch(
        /^ingot: the build needs programs that are not installed: .*zstd.*apt-get install .*zstd/,
      );
      expect(code).toBe(1);
      expect(existsSync(join(scratch, 'out'))).toBe(false);
    },
    LIMIT_MS,
  );

  it(
    'reports that the directory for temporary files is full',
    async () => {
      const temporary = await smallDisk('small', '50m');
      const { code, stderr } = await attempt({ temporary });
      expect(stderr).toMatch(/ingot: temporary files \(TMPDIR\) .*small: the disk is full/);
      expect(code).toBe(1);
      expect(await readdir(temporary)).toEqual([]);
    },
    LIMIT_MS,
  );

  it(
    'reports that the directory for packages is full',
    async () => {
      const cache = await smallDisk('cache', '4m');
      const { code, stderr } = await attempt({ cache });
      expect(stderr).toMatch(/ingot: --cache .*cache\/debs: the disk is full/);
      expect(code).toBe(1);
      expect(await readdir(join(cache, 'debs'))).toEqual([]);
    },
    LIMIT_MS,
  );

  it(
    'reports that the directory for the result is full',
    async () => {
      const out = await smallDisk('out', '10m');
      const { code, stderr } = await attempt();
      expect(stderr).toMatch(/ingot: --out .*out: the disk is full/);
      expect(code).toBe(1);
      expect(await readdir(out)).toEqual([]);
      expect(await leftInTmp()).toEqual([]);
    },
    LIMIT_MS,
  );

  it('says that the place for the result is read-only, or somebody else’s', async () => {
    const path = await smallDisk('other', '1m');
    execFileSync('mount', ['-o', 'remount,ro', path]);
    await expect(openOutDir(path)).rejects.toThrow(/^--out .*other: the file system is read-only/);
    await mkdir(join(scratch, 'theirs'), { mode: 0o755 });
    process.seteuid!(65534);
    try {
      await expect(openOutDir(join(scratch, 'theirs'))).rejects.toThrow(/^--out .*theirs: no permission/);
    } finally {
      process.seteuid!(0);
    }
  });
});
