import { execFileSync } from 'node:child_process';
import { copyFileSync, mkdtempSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { inspectImage } from './inspect.ts';

const MEBI = 1024 * 1024;
let dir: string;
const at = (name: string): string => join(dir, name);
const run = (file: string, ...args: string[]): void => void execFileSync(file, args, { stdio: 'ignore' });
const inspect = (name: string, declared?: string) =>
  inspectImage(at(name), statSync(at(name)).size, declared);

beforeAll(() => {
  dir = mkdtempSync(join(tmpdir(), 'ingot-inspect-'));
  writeFileSync(at('disk.raw'), '');
  truncateSync(at('disk.raw'), 64 * MEBI);
  run('sgdisk', '-n', '1:2048:0', at('disk.raw'));
  run('dd', 'if=/dev/urandom', `of=${at('disk.raw')}`, 'bs=1M', 'count=40', 'seek=4', 'conv=notrunc');
});
afterAll(() => rmSync(dir, { recursive: true, force: true }));

describe('inspectImage on images made by qemu-img', () => {
  it.each([
    ['plain', []],
    ['version 2', ['-o', 'compat=0.10']],
    ['compressed', ['-c']],
    ['compressed with zstd', ['-c', '-o', 'compression_type=zstd']],
    ['extended L2', ['-o', 'extended_l2=on,cluster_size=128k']],
    ['512 byte clusters', ['-o', 'cluster_size=512']],
    ['2 MiB clusters', ['-o', 'cluster_size=2M']],
    ['preallocated', ['-o', 'preallocation=metadata']],
  ])('takes a whole qcow2 (%s) and refuses it cut', async (_, options) => {
    run('qemu-img', 'convert', '-f', 'raw', '-O', 'qcow2', ...options, at('disk.raw'), at('d.qcow2'));
    await expect(inspect('d.qcow2', 'qcow2')).resolves.toEqual({ format: 'qcow2', virtualSize: 64 * MEBI });
    for (const size of [20 * MEBI, 1024]) {
      copyFileSync(at('d.qcow2'), at('cut.qcow2'));
      truncateSync(at('cut.qcow2'), size);
      await expect(inspect('cut.qcow2')).rejects.toThrow(`it is ${size.toLocaleString('en-US')} bytes, but`);
    }
  });

  it.each([
    ['a backing file', ['-b', 'disk.raw', '-F', 'raw'], 'backing file'],
    ['an external data file', ['-o', 'data_file=data'], 'external file'],
  ])('refuses %s', async (_, options, reason) => {
    execFileSync('qemu-img', ['create', '-q', '-f', 'qcow2', ...options, 'r.qcow2', '64M'], { cwd: dir });
    await expect(inspect('r.qcow2')).rejects.toThrow(reason);
  });

  it.each([
    ['vmdk', 'vmdk'],
    ['vdi', 'vdi'],
    ['vpc', 'vhd'],
    ['vhdx', 'vhdx'],
    ['qed', 'qed'],
    ['parallels', 'parallels'],
  ])('refuses %s by name', async (made, named) => {
    run('qemu-img', 'convert', '-f', 'raw', '-O', made, at('disk.raw'), at('other'));
    await expect(inspect('other')).rejects.toThrow(`it is ${named};`);
  });

  it('rejects a fixed VHD, whose signature is at its end', async () => {
    run(
      'qemu-img',
      'convert',
      '-f',
      'raw',
      '-O',
      'vpc',
      '-o',
      'subformat=fixed',
      at('disk.raw'),
      at('other'),
    );
    await expect(inspect('other')).rejects.toThrow('it is vhd;');
  });

  it('accepts a raw disk, and rejects a truncated one, one declared as qcow2, and a bare FAT file system', async () => {
    await expect(inspect('disk.raw', 'raw')).resolves.toEqual({ format: 'raw', virtualSize: 64 * MEBI });
    await expect(inspect('disk.raw', 'qcow2')).rejects.toThrow('says qcow2, but the file is raw');
    copyFileSync(at('disk.raw'), at('cut.raw'));
    truncateSync(at('cut.raw'), 5 * MEBI);
    await expect(inspect('cut.raw')).rejects.toThrow('it is 5,242,880 bytes, but its GPT');
    writeFileSync(at('fat'), '');
    truncateSync(at('fat'), 8 * MEBI);
    run('mkfs.vfat', at('fat'));
    await expect(inspect('fat')).rejects.toThrow('partition table');
  });
});
