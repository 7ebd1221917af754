/** Images that the test builds; inspect.protocol.test.ts has images of qemu-img. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { gptHead, mbrHead } from '../../test/fakes/agent/partition-table.ts';
import { qcow2Image } from '../../test/fakes/qcow2-image.ts';
import { examineDeclared, inspectImage } from './inspect.ts';

const MEBI = 1024 * 1024;
const CLUSTER_BYTES = 65_536;
const ROOT = { firstSector: 2048, sectors: 2048 };

let dir: string;
beforeAll(() => {
  dir = mkdtempSync(join(tmpdir(), 'ingot-inspect-'));
});
afterAll(() => rmSync(dir, { recursive: true, force: true }));

function fileOf(data: Buffer): [path: string, bytes: number] {
  const path = join(dir, 'image');
  writeFileSync(path, data);
  return [path, data.length];
}

const inspect = (data: Buffer, declared?: string) => inspectImage(...fileOf(data), declared);
const examine = (data: Buffer, declared: string) => examineDeclared(...fileOf(data), declared);
const disk = (head: Buffer, bytes = 2 * MEBI): Buffer =>
  Buffer.concat([head, Buffer.alloc(Math.max(0, bytes - head.length))]).subarray(0, bytes);

const RAW = disk(gptHead([ROOT]));
const VMDK = Buffer.from('KDMV'.padEnd(4096));

describe('an image to deploy', () => {
  it('may be a raw disk, up to the last byte of its last partition', async () => {
    for (const head of [gptHead([ROOT]), mbrHead([ROOT])]) {
      const raw = { format: 'raw', virtualSize: 2 * MEBI };
      expect(await inspect(disk(head))).toEqual(raw);
      expect(await inspect(disk(head), 'raw')).toEqual(raw);
      await expect(inspect(disk(head, 2 * MEBI - 1))).rejects.toThrow(
        /^it is 2,097,151 bytes, but its (GPT|MBR) has partitions up to 2,097,152 bytes$/,
      );
    }
  });

  it('may be a qcow2 with all its tables and clusters', async () => {
    expect(await inspect(qcow2Image(), 'qcow2')).toEqual({ format: 'qcow2', virtualSize: MEBI });
  });

  it.each([
    [4 * CLUSTER_BYTES - 1, 'its data ends at 262,144 bytes'],
    [3 * CLUSTER_BYTES - 1, 'an L2 table ends at 196,608 bytes'],
    [CLUSTER_BYTES + 7, 'its L1 table ends at 65,544 bytes'],
  ])('is refused as a qcow2 that ends at byte %i', async (bytes, what) => {
    await expect(inspect(qcow2Image().subarray(0, bytes))).rejects.toThrow(
      `but its header says that ${what}`,
    );
  });

  it.each([
    ['empty', Buffer.alloc(0), undefined, 'it is empty'],
    ['of another format', VMDK, undefined, 'it is vmdk; raw and qcow2 images can be deployed'],
    ['declared as qcow2', RAW, 'qcow2', 'instance_info.image_disk_format says qcow2, but the file is raw'],
    [
      'declared as raw',
      qcow2Image(),
      'raw',
      'instance_info.image_disk_format says raw, but the file is qcow2',
    ],
    [
      'a qcow2 with a bad header',
      qcow2Image().fill(9, 4, 8),
      undefined,
      'its qcow2 header is bad: qcow2 version',
    ],
    ['a qcow2 with a backing file', qcow2Image(1, { backingOffset: 8 }), undefined, 'it has a backing file'],
    ['without partitions', Buffer.alloc(MEBI), undefined, 'it has no partition table'],
  ])('is refused when it is %s', async (_what, data, declared, reason) => {
    await expect(inspect(data, declared)).rejects.toThrow(reason);
  });
});

describe('data that is declared to an image service', () => {
  it.each([
    ['raw', RAW, RAW.length],
    ['raw', Buffer.from('no disk at all'), 14],
    ['qcow2', qcow2Image(), MEBI],
    ['vmdk', VMDK, null],
    ['ami', Buffer.from('anything'), null],
    // Glance has no name for its format.
    ['raw', Buffer.from('LUKS\u00ba\u00be'.padEnd(4096), 'latin1'), null],
    ['ami', Buffer.alloc(0), 0],
    ['raw', Buffer.alloc(0), 0],
  ])('as %s is accepted when it may be that', async (declared, data, virtualSize) => {
    expect(await examine(data, declared)).toEqual({ ok: true, virtualSize });
  });

  it.each([
    ['raw', VMDK, 'disk_format says raw, but the data is vmdk'],
    ['vmdk', RAW, 'disk_format says vmdk, but the data is raw'],
    ['qcow2', VMDK, 'disk_format says qcow2, but the data is vmdk'],
    ['qcow2', Buffer.alloc(0), 'it is empty'],
    ['qcow2', qcow2Image(0), 'it is 196,608 bytes, but uses a cluster at 196,608 bytes'],
    ['raw', RAW.subarray(0, MEBI), 'it is 1,048,576 bytes, but its GPT has partitions up to 2,097,152 bytes'],
  ])('as %s is refused when it is not', async (declared, data, reason) => {
    expect(await examine(data, declared)).toEqual({ ok: false, reason });
  });

  it('throws when it can not be read', async () => {
    await expect(examineDeclared(join(dir, 'absent'), 1, 'raw')).rejects.toThrow('ENOENT');
  });
});
