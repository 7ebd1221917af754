/**
 * Writes an instance to a real block device, and checks it with the usual programs for disks.
 */
import { randomBytes } from 'node:crypto';
import { closeSync, openSync, readSync, writeSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import { afterEach, describe, expect, it, onTestFinished } from 'vitest';
import { fakeContext } from '../../test/fakes/agent/command-context.ts';
import { imageInfoOf, makeGptImage, makeMbrImage } from '../../test/fakes/agent/disk-image.ts';
import { startImageServer } from '../../test/fakes/agent/image-server.ts';
import { attachLoopDisk, type LoopDisk } from '../../test/fakes/agent/loop-disk.ts';
import { openTarget } from '../image/target.ts';
import { deployImage } from '../steps/deploy-image.ts';
import { eraseDisk, eraseMetadata } from './metadata.ts';
import { readPartitions } from './partitions.ts';

const MEBI = 1024 * 1024;
const DISK_MEBI = 96;
const DRIVE = randomBytes(400_000);

let loop: LoopDisk | undefined;
afterEach(async () => {
  await loop?.detach();
  loop = undefined;
});

async function attach(mebi = DISK_MEBI, sectorBytes = 512): Promise<LoopDisk> {
  loop = await attachLoopDisk(mebi * MEBI, sectorBytes);
  return loop;
}

async function deploy({ run, disk }: LoopDisk, image: Buffer, drive?: Buffer): Promise<string> {
  const server = await startImageServer(image);
  onTestFinished(server.close);
  const context = fakeContext({
    run,
    disks: [disk],
    node: { properties: { root_device: { size: '>= 0' } } },
  });
  const configdrive = drive === undefined ? null : gzipSync(drive).toString('base64');
  return deployImage(context, imageInfoOf(image, server.url), configdrive);
}

function bytesAt(path: string, start: number, length: number): Buffer {
  const buffer = Buffer.alloc(length);
  const fd = openSync(path, 'r');
  readSync(fd, buffer, 0, length, start);
  closeSync(fd);
  return buffer;
}

function scribble(path: string, start: number, data: Buffer): void {
  const fd = openSync(path, 'r+');
  writeSync(fd, data, 0, data.length, start);
  closeSync(fd);
}

describe('a GPT image on a larger disk', () => {
  it.each([512, 4096])(
    'is complete, with its backup table at the end, with sectors of %i',
    async (sectorBytes) => {
      const { run, disk } = await attach(DISK_MEBI, sectorBytes);
      if (sectorBytes === 4096) {
        // Created on the device itself, because sgdisk assumes sectors of 512 bytes for a file.
        await run('sgdisk', ['-n', '1:0:+8M', '-c', '1:root', disk.name]);
        const image = bytesAt(disk.name, 0, 16 * MEBI);
        await eraseMetadata(run, disk);
        expect(await deploy(loop!, image)).toBe(
          `image (image-1) written to device ${disk.name} root_uuid=None`,
        );
      } else {
        await deploy(loop!, await makeGptImage(16));
      }
      expect(await run('sgdisk', ['-v', disk.name])).toContain('No problems found');
    },
  );

  it('holds the image byte for byte between its tables', async () => {
    const { disk } = await attach();
    const image = await makeGptImage(16);
    await deploy(loop!, image);
    const [from, to] = [MEBI, 16 * MEBI - 34 * 512];
    expect(bytesAt(disk.name, from, to - from).equals(image.subarray(from, to))).toBe(true);
  });

  it('gets a config drive at the end', async () => {
    const { run, disk } = await attach();
    await deploy(loop!, await makeGptImage(16), DRIVE);
    expect(await run('sgdisk', ['-v', disk.name])).toContain('No problems found');
    const { kind, list } = await readPartitions(run, disk.name);
    expect(kind).toBe('gpt');
    expect(list.map(({ name }) => name)).toEqual(['ESP', 'root', 'config-2']);
    expect(list[2]).toMatchObject({ start: (DISK_MEBI - 2) * MEBI, bytes: MEBI });
    expect(bytesAt(list[2]!.path, 0, DRIVE.length).equals(DRIVE)).toBe(true);
    expect(await run('blkid', ['-p', '-o', 'value', '-s', 'PART_ENTRY_NAME', list[2]!.path])).toBe(
      'config-2\n',
    );
  });

  it('keeps the config-2 partition of the image', async () => {
    const { run, disk } = await attach();
    const more = ['-d', '2', '-n', '2:0:+2M', '-c', '2:config-2', '-n', '3:0:0', '-c', '3:root'];
    await deploy(loop!, await makeGptImage(16, ...more), DRIVE);
    const { list } = await readPartitions(run, disk.name);
    expect(list.map(({ name }) => name)).toEqual(['ESP', 'config-2', 'root']);
    expect(bytesAt(list[1]!.path, 0, DRIVE.length).equals(DRIVE)).toBe(true);
  });

  it('fits with the largest config drive on a disk that is just large enough', async () => {
    const drive = randomBytes(8 * MEBI);
    const { run, disk } = await attach(16 + 8 + 2);
    await deploy(loop!, await makeGptImage(16), drive);
    expect(await run('sgdisk', ['-v', disk.name])).toContain('No problems found');
    const place = (await readPartitions(run, disk.name)).list[2]!;
    expect(bytesAt(place.path, 0, drive.length).equals(drive)).toBe(true);
  });
});

describe('an MBR image', () => {
  it('gets a config drive at the end', async () => {
    const { run, disk } = await attach();
    await deploy(loop!, await makeMbrImage(16), DRIVE);
    const { kind, list } = await readPartitions(run, disk.name);
    expect(kind).toBe('mbr');
    expect(list).toHaveLength(3);
    expect(list[2]).toMatchObject({ start: (DISK_MEBI - 2) * MEBI, bytes: MEBI, type: '0x83' });
    expect(bytesAt(list[2]!.path, 0, DRIVE.length).equals(DRIVE)).toBe(true);
    expect(await run('sfdisk', ['-V', disk.name])).toContain('No errors detected');
  });

  it('keeps a partition of the image whose file system is labelled config-2', async () => {
    const { run, disk } = await attach();
    const image = await makeMbrImage(16);
    const fat = Buffer.from('CONFIG-2   FAT16   ', 'latin1');
    fat.copy(image, 2 * MEBI + 0x2b);
    await deploy(loop!, image, DRIVE);
    const { list } = await readPartitions(run, disk.name);
    expect(list).toHaveLength(2);
    expect(bytesAt(list[1]!.path, 0, DRIVE.length).equals(DRIVE)).toBe(true);
  });

  it('leaves nothing of an older GPT at the end of a larger disk', async () => {
    const { run, disk } = await attach();
    await run('sgdisk', ['-n', '1:0:0', disk.name]);
    expect(bytesAt(disk.name, disk.size - 512, 8).toString('latin1')).toBe('EFI PART');
    await deploy(loop!, await makeMbrImage(16));
    expect(bytesAt(disk.name, disk.size - MEBI, MEBI).equals(Buffer.alloc(MEBI))).toBe(true);
    expect(await run('blkid', ['-p', '-o', 'value', '-s', 'PTTYPE', disk.name])).toBe('dos\n');
  });
});

describe('erasing', () => {
  it('removes all metadata of a used disk', async () => {
    const { run, disk } = await attach();
    await deploy(loop!, await makeGptImage(16), DRIVE);
    const [esp] = (await readPartitions(run, disk.name)).list;
    await run('mkfs.vfat', [esp!.path]);
    expect(await run('wipefs', ['-n', disk.name])).toContain('gpt');
    await eraseMetadata(run, disk);
    expect(await run('wipefs', ['-n', disk.name])).toBe('');
    expect((await readPartitions(run, disk.name)).list).toEqual([]);
    expect(await run('sgdisk', ['-p', disk.name])).toContain('Creating new GPT entries');
    // The file system is gone, too: it does not reappear when the partition is created again.
    await run('sgdisk', ['-n', '1:2048:+1M', disk.name]);
    await run('blockdev', ['--rereadpt', disk.name]);
    expect(await run('wipefs', ['-n', esp!.path])).toBe('');
  });

  it('removes a GPT of which only the backup is left', async () => {
    const { run, disk } = await attach();
    await run('sgdisk', ['-n', '1:0:0', disk.name]);
    scribble(disk.name, 0, Buffer.alloc(MEBI));
    expect(await run('wipefs', ['-n', disk.name])).toContain('gpt');
    await eraseMetadata(run, disk);
    expect(await run('wipefs', ['-n', disk.name])).toBe('');
  });

  it('of all data leaves zeros', async () => {
    const { run, disk } = await attach(8);
    scribble(disk.name, 0, randomBytes(8 * MEBI));
    await eraseDisk(run, disk);
    expect(bytesAt(disk.name, 0, 8 * MEBI).equals(Buffer.alloc(8 * MEBI))).toBe(true);
  });
});

it('does not write to a disk in use', async () => {
  const { disk } = await attach(8);
  const target = await openTarget(disk.name);
  try {
    await expect(openTarget(disk.name)).rejects.toThrow(`${disk.name} is in use: it is mounted, or part of`);
  } finally {
    await target.close();
  }
});
