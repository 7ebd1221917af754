/** Kernel modules made by hand: an ELF file with a .modinfo section. */
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { findRelease, parseModinfo, resolveModules } from './kernel-modules.ts';

const RELEASE = '6.1.0-9-amd64';
const SECTION_HEADER_BYTES = 64;

/** An ELF file with the sections .text, .modinfo and .shstrtab. */
function moduleFile(pairs: readonly string[], sectionName = '.modinfo'): Buffer {
  const names = Buffer.from(`\0.text\0${sectionName}\0.shstrtab\0`);
  const contents = [Buffer.from('code'), Buffer.from(pairs.map((pair) => `${pair}\0`).join('')), names];
  const nameAt = [1, 7, names.indexOf('.shstrtab')];
  const header = Buffer.alloc(64);
  header.writeUInt32BE(0x7f454c46, 0);
  let offset = 64;
  const table = contents.map((data, i) => {
    const entry = Buffer.alloc(SECTION_HEADER_BYTES);
    entry.writeUInt32LE(nameAt[i]!, 0);
    entry.writeBigUInt64LE(BigInt(offset), 24);
    entry.writeBigUInt64LE(BigInt(data.length), 32);
    offset += data.length;
    return entry;
  });
  header.writeBigUInt64LE(BigInt(offset), 40);
  header.writeUInt16LE(SECTION_HEADER_BYTES, 58);
  header.writeUInt16LE(contents.length, 60);
  header.writeUInt16LE(2, 62);
  return Buffer.concat([header, ...contents, ...table]);
}

const MODULES: Readonly<Record<string, readonly string[]>> = {
  'drivers/net/e1000.ko': ['license=GPL', 'depends=', 'firmware=e1000/one.bin', 'firmware=e1000/two.bin'],
  'drivers/net/virtio_net.ko': ['license=GPL', 'depends=virtio,net-failover'],
  'drivers/net/net-failover.ko': ['license=GPL', 'depends=failover'],
  'net/failover.ko': ['license=GPL', 'depends='],
  'drivers/virtio/virtio.ko': ['license=GPL', 'depends='],
  'fs/ext4.ko': ['license=GPL', 'depends=mbcache', 'softdep=pre: crc32c  post: absent ext4'],
  'fs/mbcache.ko': ['license=GPL', 'depends='],
  'fs/wrong.ko': ['license=GPL', 'depends=absent'],
};

let root: string;
const names = async (...wanted: string[]): Promise<string[]> =>
  (await resolveModules(root, RELEASE, wanted)).map(({ name }) => name);

beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'ingot-modules-'));
  const base = join(root, 'lib/modules', RELEASE);
  for (const [path, pairs] of Object.entries(MODULES)) {
    await mkdir(dirname(join(base, 'kernel', path)), { recursive: true });
    await writeFile(join(base, 'kernel', path), moduleFile(pairs));
  }
  await writeFile(join(base, 'kernel/fs/README'), 'not a module');
  await writeFile(
    join(base, 'modules.builtin'),
    'kernel/crypto/crc32c.ko\nkernel/drivers/ata/ahci-platform.ko\n',
  );
});
afterAll(() => rm(root, { recursive: true, force: true }));

describe('kernel modules', () => {
  it('include all their dependencies, in loading order and once', async () => {
    expect(await names('virtio_net', 'virtio')).toEqual(['virtio', 'failover', 'net_failover', 'virtio_net']);
  });

  it('have one name with dashes and with underscores', async () => {
    expect(await names('net_failover')).toEqual(await names('net-failover'));
  });

  it('need not exist when they are built in', async () => {
    expect(await names('crc32c', 'ahci_platform', 'ahci-platform')).toEqual([]);
  });

  it('need not exist as soft dependencies, which may be circular', async () => {
    expect(await names('ext4')).toEqual(['mbcache', 'ext4']);
  });

  it.each([['absent'], ['wrong'], ['README']])('%s is an error, since it does not exist', async (name) => {
    await expect(names(name)).rejects.toThrow(`kernel ${RELEASE} has no module `);
  });

  it('name the firmware that they load, and their path', async () => {
    expect((await resolveModules(root, RELEASE, ['e1000']))[0]).toEqual({
      name: 'e1000',
      path: `lib/modules/${RELEASE}/kernel/drivers/net/e1000.ko`,
      depends: [],
      softDepends: [],
      firmware: ['e1000/one.bin', 'e1000/two.bin'],
    });
  });

  it('are of one release', async () => {
    expect(await findRelease(root)).toBe(RELEASE);
    const other = await mkdtemp(join(tmpdir(), 'ingot-releases-'));
    await mkdir(join(other, 'lib/modules'), { recursive: true });
    await expect(findRelease(other)).rejects.toThrow('must contain exactly one kernel release');
    for (const release of ['6.1', '6.2']) await mkdir(join(other, 'lib/modules', release));
    await expect(findRelease(other)).rejects.toThrow('must contain exactly one kernel release');
    await rm(other, { recursive: true });
  });
});

describe('the .modinfo section', () => {
  it('contains lists with spaces and commas; a value may contain "="', () => {
    const file = moduleFile(['softdep=pre: a b post: c', 'depends=x,,y', 'parm=z=1', 'firmware=']);
    expect(parseModinfo('m', 'p', file)).toEqual({
      name: 'm',
      path: 'p',
      depends: ['x', 'y'],
      softDepends: ['a', 'b', 'c'],
      firmware: [],
    });
  });

  it('must exist, in an ELF file', () => {
    expect(() => parseModinfo('m', 'p', moduleFile([], '.modinfos'))).toThrow('without .modinfo');
    expect(() => parseModinfo('m', 'p', Buffer.alloc(100))).toThrow('not an ELF file');
    expect(() => parseModinfo('m', 'p', moduleFile([]).subarray(0, 63))).toThrow('not an ELF file');
  });
});
