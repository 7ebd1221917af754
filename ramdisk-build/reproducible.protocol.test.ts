/**
 * Two builds give the same bytes with different directories for sources and result, and with another umask, locale and
 * time zone. They share downloaded packages; everything else is done twice, from two copies of the sources.
 */
import { execFile } from 'node:child_process';
import { cp, mkdir, mkdtemp, readdir, readFile, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { zstdDecompressSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { MODULES } from './contents.ts';
import { decodeCpio } from './cpio.ts';

const exec = promisify(execFile);
const ROOT = resolve(import.meta.dirname, '..');
/** The level does not change the content of the archive, and the shipped level takes a minute. */
const FAST_LEVEL = '1';

interface Surroundings {
  readonly name: string;
  readonly umask: number;
  readonly env: Readonly<Record<string, string>>;
}

const FIRST: Surroundings = { name: 'a', umask: 0o022, env: { LC_ALL: 'C', TZ: 'UTC' } };
const SECOND: Surroundings = {
  name: 'another/place with a space',
  umask: 0o077,
  env: { LC_ALL: 'C.UTF-8', LANG: 'de_DE.UTF-8', TZ: 'Asia/Tokyo' },
};

let scratch: string;

const WORKSPACES = ['agent', 'conductor', 'ramdisk-build', 'shared'];

/** Copies the current sources, and links the installed packages of this checkout. */
async function copySources(from: string, to: string): Promise<void> {
  for (const name of ['bin', 'package.json', 'package-lock.json', ...WORKSPACES])
    await cp(join(from, name), join(to, name), { recursive: true, verbatimSymlinks: true });
  await mkdir(join(to, 'node_modules/@ingot'), { recursive: true });
  for (const name of await readdir(join(ROOT, 'node_modules')))
    if (name !== '@ingot') await symlink(join(ROOT, 'node_modules', name), join(to, 'node_modules', name));
  for (const name of WORKSPACES) await symlink(`../../${name}`, join(to, 'node_modules/@ingot', name));
}

async function build({ name, umask, env }: Surroundings): Promise<string> {
  const [sources, out, temporary] = ['sources', 'out', 'tmp'].map((part) => join(scratch, name, part)) as [
    string,
    string,
    string,
  ];
  await mkdir(temporary, { recursive: true });
  const args = [join(sources, 'bin/ingot.js'), 'ramdisk', 'build', '--out', out];
  const before = process.umask(umask);
  try {
    await exec(process.execPath, [...args, '--cache', join(ROOT, '.cache'), '--zstd-level', FAST_LEVEL], {
      cwd: temporary,
      env: { ...process.env, ...env, TMPDIR: temporary },
    });
  } finally {
    process.umask(before);
  }
  return out;
}

/** Path -> why it differs. */
function differences(one: Buffer, other: Buffer): Record<string, string> {
  const [left, right] = [one, other].map(
    (image) => new Map(decodeCpio(zstdDecompressSync(image)).map((entry) => [entry.path, entry])),
  ) as [
    Map<string, ReturnType<typeof decodeCpio>[number]>,
    Map<string, ReturnType<typeof decodeCpio>[number]>,
  ];
  const found: Record<string, string> = {};
  for (const path of new Set([...left.keys(), ...right.keys()])) {
    const [a, b] = [left.get(path), right.get(path)];
    if (a === undefined || b === undefined)
      found[path] = `only in the ${a === undefined ? 'second' : 'first'}`;
    else if (!a.head.equals(b.head))
      found[path] = `header ${a.head.toString('latin1')} and ${b.head.toString('latin1')}`;
    else if (!a.data.equals(b.data)) found[path] = `contents from byte ${firstDifference(a.data, b.data)} on`;
  }
  return found;
}

const firstDifference = (a: Buffer, b: Buffer): number => a.findIndex((byte, at) => byte !== b[at]);

describe('ramdisk build', () => {
  let outs: [string, string];

  beforeAll(async () => {
    scratch = await mkdtemp(join(tmpdir(), 'ingot-reproducible-'));
    const [first, second] = [FIRST, SECOND].map(({ name }) => join(scratch, name, 'sources')) as [
      string,
      string,
    ];
    await copySources(ROOT, first);
    await copySources(first, second);
    outs = [await build(FIRST), await build(SECOND)];
  }, 600_000);

  afterAll(() => rm(scratch, { recursive: true, force: true }));

  const both = (name: string) =>
    Promise.all(outs.map((out) => readFile(join(out, name)))) as Promise<[Buffer, Buffer]>;

  it('creates the same ramdisk, entry for entry and byte for byte', async () => {
    const [first, second] = await both('ramdisk.img');
    expect(differences(first, second)).toEqual({});
    expect(first.equals(second)).toBe(true);
  });

  it('creates the same kernel', async () => {
    const [first, second] = await both('vmlinuz');
    expect(first.equals(second)).toBe(true);
  });

  it('creates the same manifest', async () => {
    const [first, second] = await both('manifest.json');
    expect(JSON.parse(second.toString())).toEqual(JSON.parse(first.toString()));
    expect(first.equals(second)).toBe(true);
  });

  it('creates the same bill of materials', async () => {
    const [first, second] = await both('ramdisk.cdx.json');
    expect(first.equals(second)).toBe(true);
  });

  it('has the drivers where its modprobe finds them, by name and by device id', async () => {
    const tree = join(scratch, 'tree');
    await mkdir(tree);
    const packed = join(outs[0], 'ramdisk.img');
    await exec('zstd', ['-q', '-d', packed, '-o', join(scratch, 'ramdisk.cpio')]);
    await exec('cpio', ['-idm', '--quiet', '-D', tree, '-F', join(scratch, 'ramdisk.cpio')]);
    const manifest = JSON.parse((await both('manifest.json'))[0].toString()) as { kernelRelease: string };
    const modprobe = async (...names: string[]): Promise<string> => {
      const args = [tree, '/sbin/modprobe', '-n', '-v', '-a', '-S', manifest.kernelRelease, ...names];
      return (await exec('chroot', args)).stdout;
    };
    expect(await modprobe(...MODULES.full)).toContain('/drivers/scsi/mpt3sas/mpt3sas.ko');
    // Module alias of the Intel 82574L network card in QEMU.
    const card = 'pci:v00008086d000010D3sv00008086sd00000000bc02sc00i00';
    expect(await modprobe(card)).toMatch(/\/e1000e\.ko\s*$/);
    // Without the path, busybox would run its own modprobe, which reads other indexes.
    const init = await readFile(join(tree, 'init'), 'utf8');
    expect(init.match(/^[^#\n]*(?<!\/sbin\/)modprobe .*$/gm)).toBeNull();
  });

  it('leaves nothing in the directory for temporary files', async () => {
    const { stdout } = await exec('find', [
      join(scratch, 'a/tmp'),
      join(scratch, SECOND.name, 'tmp'),
      '-mindepth',
      '1',
    ]);
    expect(stdout).toBe('');
  });

  it('packs an agent without paths of the build', async () => {
    const [image] = await both('ramdisk.img');
    const agent = decodeCpio(zstdDecompressSync(image)).find(({ path }) => path === 'usr/bin/ingot-agent');
    expect(agent?.data.includes('agent.cjs')).toBe(true);
    // With the directory of the build in the executable, every build would differ.
    expect(agent?.data.includes(scratch)).toBe(false);
  });
});
