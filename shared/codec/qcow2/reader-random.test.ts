/**
 * The qcow2 reader on random images: well made ones, ones whose tables point anywhere, and ones with changed bytes.
 * Whatever the image is, the reader returns parts of the disk in ascending order or throws BadQcow2, and does no more
 * work than file and virtual size allow.
 *
 *   TEST_RUNS=250 vitest run --project unit shared/codec/qcow2/reader-random.test.ts     a million images
 */
import { deflateRawSync, zstdCompressSync } from 'node:zlib';
import { expect, it } from 'vitest';
import { madeQcow2 } from '../../../test/fakes/qcow2-image.ts';
import { fc, runs } from '../../../test/random-cases.ts';
import { BadQcow2 } from './bad-qcow2.ts';
import { openQcow2, qcow2Data } from './reader.ts';

const CASES = runs(4_000);
const MAX_DISK_BYTES = 4 * 1024 * 1024;
const CLUSTERS = 12;
const SECTOR = 512n;
const COMPRESSED = 1n << 62n;

interface Shape {
  readonly version: number;
  readonly clusterBits: number;
  readonly isExtended: boolean;
  readonly isZstd: boolean;
  readonly sectors: number;
  /** Whether the L1 table is as long as it must be. */
  readonly isExact: boolean;
}

const shape: fc.Arbitrary<Shape> = fc.record({
  version: fc.constantFrom(3, 3, 2),
  clusterBits: fc.constantFrom(9, 9, 10, 14),
  isExtended: fc.boolean(),
  isZstd: fc.boolean(),
  sectors: fc.integer({ min: 1, max: 300 }),
  isExact: fc.constantFrom(true, true, true, true, false),
});

/** A word of a table: an entry as it should be, or any bits. */
const word: fc.Arbitrary<(size: bigint) => bigint> = fc.oneof(
  { weight: 8, arbitrary: fc.nat({ max: CLUSTERS }).map((n) => (size: bigint) => BigInt(n) * size) },
  { weight: 2, arbitrary: fc.constant(() => 0n) },
  { weight: 1, arbitrary: fc.constant(() => 1n) },
  {
    weight: 3,
    arbitrary: fc.tuple(fc.nat({ max: 40 }), fc.nat({ max: 3 })).map(
      ([at, sectors]) =>
        (size: bigint) =>
          compressedWord(BigInt(at) * 128n, sectors, size),
    ),
  },
  { weight: 1, arbitrary: fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }).map((bits) => () => bits) },
);

function compressedWord(at: bigint, sectors: number, size: bigint): bigint {
  const offsetBits = 62n - (BigInt(size.toString(2).length - 1) - 8n);
  return COMPRESSED | (BigInt(sectors) << offsetBits) | at;
}

/** What a cluster contains: a table, or compressed or random data. */
const content = fc.oneof(
  fc.array(word, { maxLength: 20 }).map((words) => (size: number) => words.map((make) => make(BigInt(size)))),
  fc.tuple(fc.boolean(), fc.nat({ max: 2 }), fc.nat({ max: 255 })).map(
    ([isZstd, factor, byte]) =>
      (size: number) =>
        packed(isZstd, size * factor, byte, size),
  ),
  fc.uint8Array({ maxLength: 64 }).map((data) => () => data),
);

/** Of the compressed data, what fits into a cluster. */
function packed(isZstd: boolean, length: number, byte: number, size: number): Uint8Array {
  const data = Buffer.alloc(length, byte);
  return (isZstd ? zstdCompressSync(data) : deflateRawSync(data)).subarray(0, size);
}

const change = fc.tuple(fc.nat(), fc.nat({ max: 255 }));

const image = fc
  .record({
    shape,
    l1: fc.array(word, { minLength: 1, maxLength: 4 }),
    contents: fc.array(content, { maxLength: CLUSTERS - 2 }),
    headChanges: fc.array(change, { maxLength: 1 }),
    changes: fc.array(change, { maxLength: 3 }),
    cut: fc.oneof({ weight: 6, arbitrary: fc.constant(0) }, fc.nat({ max: 2_000 })),
  })
  .map(({ shape: { clusterBits, ...made }, l1, contents, headChanges, changes, cut }) => {
    const size = 2 ** clusterBits;
    const isExtended = made.isExtended && clusterBits >= 14;
    // As many L1 entries as the disk needs.
    const span = size ** 2 / (isExtended ? 16 : 8);
    const spare = made.isExact ? Math.max(0, Math.ceil((made.sectors * 512) / span) - l1.length) : 0;
    const features = (isExtended ? 1n << 4n : 0n) | (made.isZstd ? 1n << 3n : 0n);
    const bytes = madeQcow2({
      version: made.version,
      clusterBits,
      virtualSize: BigInt(made.sectors) * SECTOR,
      features,
      compressionType: made.isZstd ? 1 : 0,
      l1: [...l1.map((make) => make(BigInt(size))), ...Array<bigint>(spare).fill(0n)],
      clusters: { [CLUSTERS]: [], ...Object.fromEntries(contents.map((make, i) => [i + 2, make(size)])) },
    });
    for (const [at, byte] of headChanges) bytes[at % 112] = byte;
    for (const [at, byte] of changes) bytes[at % bytes.length] = byte;
    return bytes.subarray(0, Math.max(0, bytes.length - cut));
  });

/** The size of the disk that was read, or the reason why it was not. */
async function read(bytes: Buffer): Promise<string> {
  let readBytes = 0;
  const file = {
    bytes: bytes.length,
    read(at: number, length: number) {
      expect(at >= 0 && at + length <= bytes.length).toBe(true);
      readBytes += length;
      return bytes.subarray(at, at + length);
    },
  };
  let limit = bytes.length;
  try {
    const header = await openQcow2(file, MAX_DISK_BYTES);
    // Head, tables and clusters once each, and the sectors of every compressed cluster.
    limit = 3 * bytes.length + 2 * header.virtualSize + Math.ceil(header.virtualSize / 512) * 8 * 1024;
    let end = 0;
    for await (const { at, data } of qcow2Data(file, header)) {
      if (at < end || data.length === 0 || at + data.length > header.virtualSize)
        throw new Error(`${data.length} bytes at ${at} after ${end}`);
      end = at + data.length;
    }
    return 'read';
  } catch (error) {
    if (!(error instanceof BadQcow2)) throw error;
    return error.message.replace(/0x[0-9a-f]+|[\d,]+/g, 'N');
  } finally {
    expect(readBytes).toBeLessThanOrEqual(limit);
  }
}

it(
  `reads or refuses ${CASES.toLocaleString('en-US')} random images`,
  async () => {
    const endings = new Map<string, number>();
    await fc.assert(
      fc.asyncProperty(image, async (bytes) => {
        const ending = await read(bytes);
        endings.set(ending, (endings.get(ending) ?? 0) + 1);
      }),
      { numRuns: CASES },
    );
    // The images are not all refused for the same reason.
    expect(endings.get('read')).toBeGreaterThan(CASES / 20);
    expect(endings.size).toBeGreaterThan(15);
    if (process.env['TEST_RUNS'] !== undefined) console.table([...endings].sort((a, b) => b[1] - a[1]));
  },
  60_000 + CASES * 5,
);
