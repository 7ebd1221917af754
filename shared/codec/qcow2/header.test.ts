/** Headers and tables of qcow2 images that the test builds. conductor/images/inspect.protocol.test.ts has images of qemu-img. */

import { describe, expect, it } from 'vitest';
import { type Qcow2Fields, qcow2Header } from '../../../test/fakes/qcow2-image.ts';
import { fc } from '../../../test/random-cases.ts';
import { decodeQcow2, l2EntryBytes, type Qcow2Header, refuseQcow2 } from './header.ts';

const MEBI = 1024 * 1024;

function decoded(fields: Qcow2Fields = {}): Qcow2Header {
  const result = decodeQcow2(qcow2Header(fields));
  if (!result.ok) throw new Error(result.reason);
  return result.value;
}

const reasonOf = (bytes: Uint8Array): string | undefined => {
  const result = decodeQcow2(bytes);
  return result.ok ? undefined : result.reason;
};

const BACKING_FORMAT = 0xe2792aca;
const DATA_FILE = 0x44415441;

describe('a qcow2 header', () => {
  it('is read field by field', () => {
    expect(decoded()).toEqual({
      version: 3,
      hasBackingFile: false,
      clusterBits: 16,
      virtualSize: 1024 * MEBI,
      encryption: 0,
      incompatibleFeatures: 0n,
      compressionType: 0,
      hasDataFileName: false,
      l1Entries: 2,
      l1Offset: 0x30000,
    });
  });

  it('of version 2 has no features and no extensions, whatever these bytes are', () => {
    const bytes = qcow2Header({ version: 2, features: 0xffn, extensions: [[DATA_FILE, 4]] });
    expect(decodeQcow2(bytes.subarray(0, 72))).toMatchObject({ ok: true });
    expect(decoded({ version: 2, features: 0xffn, extensions: [[DATA_FILE, 4]] })).toMatchObject({
      incompatibleFeatures: 0n,
      hasDataFileName: false,
    });
  });

  it.each([
    [qcow2Header().subarray(0, 71), 'shorter than a qcow2 header'],
    [qcow2Header().subarray(0, 103), 'shorter than a qcow2 version 3 header'],
    [Buffer.alloc(512), 'no qcow2 magic'],
    [qcow2Header({ version: 1 }), 'qcow2 version 1 is not known'],
    [qcow2Header({ version: 4 }), 'qcow2 version 4 is not known'],
    [qcow2Header({ clusterBits: 8 }), 'cluster size of 2^8 is out of range'],
    [qcow2Header({ clusterBits: 22 }), 'cluster size of 2^22 is out of range'],
    [qcow2Header({ virtualSize: 2n ** 53n }), 'virtual size is out of range'],
    [qcow2Header({ l1Entries: 4 * MEBI + 1 }), 'L1 table is out of range'],
    [qcow2Header({ l1Entries: 1 }), 'its L1 table has 1 entries and needs 2'],
    [qcow2Header({ l1Offset: 0x30001n }), 'its L1 table does not begin where a cluster does'],
    [qcow2Header({ l1Offset: 2n ** 63n }), 'its L1 table does not begin where a cluster does'],
  ])('is refused: %#', (bytes, reason) => expect(reasonOf(bytes)).toBe(reason));

  it.each([
    { clusterBits: 9, l1Entries: 32_768 },
    { clusterBits: 21, l1Offset: 0x200000n },
    { l1Entries: 4 * MEBI },
  ])('accepts values at the limits: %o', (fields) => expect(reasonOf(qcow2Header(fields))).toBeUndefined());

  it('needs twice the L1 entries with extended L2 entries', () => {
    const features = 1n << 4n;
    expect(reasonOf(qcow2Header({ features }))).toBe('its L1 table has 2 entries and needs 4');
    expect(l2EntryBytes(decoded({ features, l1Entries: 4 }))).toBe(16);
    expect(l2EntryBytes(decoded())).toBe(8);
  });

  it('of any bytes gives a header or a reason', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 160 }), (tail) => {
        const bytes = Buffer.concat([qcow2Header().subarray(0, 8), tail]);
        expect(typeof decodeQcow2(bytes).ok).toBe('boolean');
      }),
    );
  });
});

describe('a qcow2 image', () => {
  it.each([
    [{ backingOffset: 0x200 }, /^it has a backing file/],
    [{ features: 1n << 2n }, /^it keeps its data in an external file/],
    [
      {
        extensions: [
          [BACKING_FORMAT, 5],
          [DATA_FILE, 4],
        ] as const,
      },
      /^it keeps its data in an external file/,
    ],
    [{ encryption: 1 }, /^it is encrypted \(AES\)$/],
    [{ encryption: 2 }, /^it is encrypted \(LUKS\)$/],
    [{ encryption: 7 }, /^it is encrypted$/],
    [{ features: 1n }, /^it is marked as dirty/],
    [{ features: 1n << 3n, compressionType: 2 }, /^its clusters are compressed with an unknown method \(2\)/],
    [{ features: 1n << 3n }, /contradict each other$/],
    [{ compressionType: 1 }, /contradict each other$/],
    [{ features: 1n << 4n, clusterBits: 13, l1Entries: 256 }, /too small for extended L2 entries$/],
    [{ virtualSize: 1025n }, /does not consist of whole sectors$/],
    [{ features: 1n << 1n }, /^it is marked as corrupt/],
    [{ features: 1n << 5n }, /does not know \(0x20\)/],
    [{ virtualSize: 0n }, /^its virtual size is zero/],
  ] as [Qcow2Fields, RegExp][])('is refused with %o', (fields, reason) =>
    expect(refuseQcow2(decoded(fields))).toMatch(reason),
  );

  it.each([
    {},
    { features: 1n << 3n, compressionType: 1 },
    { features: 1n << 4n, l1Entries: 4 },
    { extensions: [[BACKING_FORMAT, 5]] },
    // Bytes after the end of the extensions are ignored.
    {
      extensions: [
        [BACKING_FORMAT, 8],
        [0, 0],
        [DATA_FILE, 4],
      ],
    },
  ] as Qcow2Fields[])('is accepted with %o', (fields) =>
    expect(refuseQcow2(decoded(fields))).toBeUndefined(),
  );
});
