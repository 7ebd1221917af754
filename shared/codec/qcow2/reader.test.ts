/** Images that the test builds; reader.protocol.test.ts compares with qemu-img. */
import { deflateRawSync, zstdCompressSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { type MadeImage, madeQcow2 } from '../../../test/fakes/qcow2-image.ts';
import { BadQcow2 } from './bad-qcow2.ts';
import { openQcow2, type Qcow2File, qcow2Data, qcow2Extents } from './reader.ts';

const CLUSTER = 512;
const COPIED = 1n << 63n;
const COMPRESSED = 1n << 62n;
const SUBCLUSTERS = 1n << 4n;
const COMPRESSION_TYPE = 1n << 3n;
/** The address of a cluster by its number. */
const cluster = (number: number, size = CLUSTER): bigint => BigInt(number * size);
const filled = (byte: number, length = CLUSTER): Buffer => Buffer.alloc(length, byte);

const fileOf = (image: Buffer): Qcow2File => ({
  bytes: image.length,
  read: (at, length) => image.subarray(at, at + length),
});

async function all<T>(items: AsyncIterable<T>): Promise<T[]> {
  const found: T[] = [];
  for await (const item of items) found.push(item);
  return found;
}

async function disk(image: Buffer): Promise<Buffer> {
  const file = fileOf(image);
  const header = await openQcow2(file);
  const bytes = Buffer.alloc(header.virtualSize);
  for await (const { at, data } of qcow2Data(file, header)) bytes.set(data, at);
  return bytes;
}

/** An image with one L2 table, in cluster 2, of these entries. */
const image = (l2: readonly bigint[], more: Partial<MadeImage> = {}): Buffer =>
  madeQcow2({
    virtualSize: 4n * 512n,
    l1: [COPIED | cluster(2, 2 ** (more.clusterBits ?? 9))],
    ...more,
    clusters: { 2: l2, ...more.clusters },
  });

describe('the disk in a qcow2 image', () => {
  it('has its clusters in their places, and zeros elsewhere', async () => {
    const made = image([cluster(4), 0n, COPIED | cluster(3)], { clusters: { 3: filled(3), 4: filled(4) } });
    expect(await disk(made)).toEqual(Buffer.concat([filled(4), filled(0), filled(3), filled(0)]));
  });

  it('has zeros where a cluster is marked so, whether it has a place or not', async () => {
    const made = image([1n, cluster(3) | 1n, cluster(4)], { clusters: { 3: filled(3), 4: filled(4) } });
    expect(await disk(made)).toEqual(Buffer.concat([filled(0, 1024), filled(4), filled(0)]));
  });

  it('ends at the virtual size: what tables say behind it is not looked at', async () => {
    const made = image([cluster(3), cluster(4), 7n << 40n], {
      virtualSize: 1024n,
      clusters: { 4: filled(4) },
    });
    expect(await disk(made)).toEqual(Buffer.concat([filled(0), filled(4)]));
    const longer = image([cluster(3)], {
      l1: [cluster(2), 7n << 40n],
      virtualSize: 512n,
      clusters: { 3: [] },
    });
    expect(await disk(longer)).toEqual(filled(0));
  });

  it('may end inside its last cluster, with the file', async () => {
    const made = image([COPIED | cluster(3, 1024)], {
      clusterBits: 10,
      virtualSize: 512n,
      clusters: { 3: filled(7) },
    });
    expect(await disk(made.subarray(0, 3 * 1024 + 512))).toEqual(filled(7));
  });

  it('is read in long pieces where clusters follow each other', async () => {
    const file = fileOf(
      image([cluster(3), cluster(4), cluster(6), cluster(5)], { clusters: { 6: filled(1) } }),
    );
    const extents = await all(qcow2Extents(file, await openQcow2(file)));
    expect(extents.map(({ at, bytes, fileAt }) => [at, bytes, fileAt])).toEqual([
      [0, 1024, 3 * 512],
      [1024, 512, 6 * 512],
      [1536, 512, 5 * 512],
    ]);
  });

  const compressedAt = (at: number, bytes: number): bigint =>
    COMPRESSED | (BigInt(Math.ceil(((at % 512) + bytes) / 512) - 1) << 61n) | BigInt(at);

  it.each([
    ['zlib', (data: Buffer) => deflateRawSync(data, { windowBits: 12 }), {}],
    ['zstd', (data: Buffer) => zstdCompressSync(data), { features: COMPRESSION_TYPE, compressionType: 1 }],
    [
      'zstd in two frames',
      (data: Buffer) =>
        Buffer.concat([zstdCompressSync(data.subarray(0, 100)), zstdCompressSync(data.subarray(100))]),
      { features: COMPRESSION_TYPE, compressionType: 1 },
    ],
  ])('has clusters compressed by %s, with other data in their last sector', async (_, compress, fields) => {
    const [one, two] = [compress(filled(1)), compress(filled(2))];
    const data = Buffer.concat([one, two, filled(0xee, 100)]);
    const made = image(
      [compressedAt(3 * 512, one.length), 0n, compressedAt(3 * 512 + one.length, two.length)],
      {
        ...fields,
        clusters: { 3: data },
      },
    );
    expect(await disk(made)).toEqual(Buffer.concat([filled(1), filled(0), filled(2), filled(0)]));
  });

  it.each([
    ['longer than a cluster', 513, 'it is more than a cluster of 512 bytes'],
    ['a bomb', 10_000_000, 'it is more than a cluster of 512 bytes'],
    ['shorter than a cluster', 511, 'unpacks to 511 instead of 512 bytes'],
  ])('is refused with a compressed cluster that is %s', async (_, length, reason) => {
    const data = deflateRawSync(filled(1, length));
    const made = image([COMPRESSED | (1n << 61n) | cluster(3)], { clusters: { 3: data } });
    await expect(disk(made)).rejects.toThrow(reason);
    const zstd = {
      features: COMPRESSION_TYPE,
      compressionType: 1,
      clusters: { 3: zstdCompressSync(filled(1, length)) },
    };
    await expect(disk(image([COMPRESSED | (1n << 61n) | cluster(3)], zstd))).rejects.toThrow(BadQcow2);
  });

  it('has subclusters that are stored, zeros or nothing', async () => {
    const size = 16_384;
    const made = image([cluster(3, size), (1n << 33n) | 0b1101n, 0n, 1n << 32n], {
      clusterBits: 14,
      features: SUBCLUSTERS,
      virtualSize: BigInt(2 * size),
      clusters: { 3: filled(5, size) },
    });
    const expected = Buffer.alloc(2 * size);
    expected.fill(5, 0, 512).fill(5, 1024, 2048);
    expect(await disk(made)).toEqual(expected);
  });
});

describe('an image is refused', () => {
  const size = 16_384;
  const extended = { clusterBits: 14, features: SUBCLUSTERS, virtualSize: BigInt(size) };
  it.each([
    [
      'names one L2 table twice',
      madeQcow2({ virtualSize: 65_536n, l1: [1024n, 1024n], clusters: { 2: [] } }),
      'the cluster at 1,024 bytes is used twice',
    ],
    [
      'uses its L2 table as data',
      madeQcow2({ virtualSize: 512n, l1: [1024n], clusters: { 2: [1024n] } }),
      'the cluster at 1,024 bytes is used twice',
    ],
    ['uses its L1 table as data', image([cluster(1)]), 'the cluster at 512 bytes is used twice'],
    [
      'uses data twice',
      image([cluster(3), cluster(3)], { clusters: { 3: filled(1) } }),
      'the cluster at 1,536 bytes is used twice',
    ],
    ['has its L1 table in its header', image([], { l1Offset: 0n }), 'the cluster at 0 bytes is used twice'],
    [
      'has data off a border',
      image([cluster(3, 1024) + 512n], { clusterBits: 10, clusters: { 4: [] } }),
      'does not begin where a cluster does (3,584 bytes)',
    ],
    [
      'has an L2 table off a border',
      image([], { clusterBits: 10, l1: [2560n], clusters: { 3: [] } }),
      'an L2 table does not begin where a cluster does',
    ],
    ['has data behind the end', image([cluster(9)]), 'it is 1,536 bytes, but uses a cluster at 4,608 bytes'],
    [
      'is cut in its last cluster',
      image([cluster(3)], { clusters: { 3: [] } }).subarray(0, 2047),
      'it is 2,047 bytes, but its header says that its data ends at 2,048 bytes',
    ],
    [
      'is cut in an L2 table',
      image([]).subarray(0, 1100),
      'its header says that an L2 table ends at 1,536 bytes',
    ],
    [
      'is cut in its L1 table',
      image([]).subarray(0, 514),
      'its header says that its L1 table ends at 520 bytes',
    ],
    ['has compressed data behind the end', image([COMPRESSED | 4096n]), 'its data ends'],
    ['marks zeros in version 2', image([1n], { version: 2 }), 'which version 2 has no mark for'],
    [
      'has a subcluster in two states',
      image([cluster(3, size), (1n << 32n) | 1n], extended),
      'both as stored and as zeros',
    ],
    ['has a subcluster without a place', image([0n, 1n], extended), 'marked as stored, but has no place'],
  ])('that %s', async (_, made, reason) => {
    await expect(disk(made)).rejects.toThrow(BadQcow2);
    await expect(disk(made)).rejects.toThrow(reason);
  });

  it('that contains a larger disk than is asked for', async () => {
    const file = fileOf(image([]));
    await expect(openQcow2(file, 2047)).rejects.toThrow(
      'it contains a disk of 2,048 bytes; the limit is 2,047',
    );
    await expect(openQcow2(file, 2048)).resolves.toMatchObject({ virtualSize: 2048 });
  });

  it('that becomes shorter while it is read', async () => {
    const made = image([cluster(3)], { clusters: { 3: filled(1) } });
    const file: Qcow2File = {
      bytes: made.length,
      read: (at, n) => made.subarray(at, Math.min(at + n, 1600)),
    };
    const header = await openQcow2(file);
    await expect(all(qcow2Data(file, header))).rejects.toThrow('it ends at 1,600 bytes');
  });
});
