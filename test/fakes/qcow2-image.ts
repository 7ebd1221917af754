/** qcow2 images as bytes, for tests that need no qemu-img. */
const MEBI = 1024 * 1024;
const CLUSTER_BYTES = 65_536;

export interface Qcow2Fields {
  readonly version?: number;
  readonly backingOffset?: number;
  readonly clusterBits?: number;
  readonly virtualSize?: bigint;
  readonly encryption?: number;
  readonly l1Entries?: number;
  readonly l1Offset?: bigint;
  readonly features?: bigint;
  /** Type and length of each header extension. */
  readonly extensions?: readonly (readonly [type: number, length: number])[];
}

/** A header for 1 GiB with clusters of 64 KiB. */
export function qcow2Header(fields: Qcow2Fields = {}): Buffer {
  const bytes = Buffer.alloc(512);
  bytes.write('QFI\u00fb', 'latin1');
  bytes.writeUInt32BE(fields.version ?? 3, 4);
  bytes.writeBigUInt64BE(BigInt(fields.backingOffset ?? 0), 8);
  bytes.writeUInt32BE(fields.clusterBits ?? 16, 20);
  bytes.writeBigUInt64BE(fields.virtualSize ?? 1024n * BigInt(MEBI), 24);
  bytes.writeUInt32BE(fields.encryption ?? 0, 32);
  bytes.writeUInt32BE(fields.l1Entries ?? 2, 36);
  bytes.writeBigUInt64BE(fields.l1Offset ?? 0x30000n, 40);
  bytes.writeBigUInt64BE(fields.features ?? 0n, 72);
  bytes.writeUInt32BE(104, 100);
  let at = 104;
  for (const [type, length] of fields.extensions ?? []) {
    bytes.writeUInt32BE(type, at);
    bytes.writeUInt32BE(length, at + 4);
    at += 8 + Math.ceil(length / 8) * 8;
  }
  return bytes;
}

/** An image of 1 MiB in four clusters: header, L1 table, L2 table, and data of this many bytes. */
export function qcow2Image(dataBytes = CLUSTER_BYTES, fields: Qcow2Fields = {}): Buffer {
  const image = Buffer.alloc(3 * CLUSTER_BYTES + dataBytes);
  const size = { virtualSize: BigInt(MEBI), l1Entries: 1, l1Offset: BigInt(CLUSTER_BYTES) };
  qcow2Header({ ...size, ...fields }).copy(image);
  image.writeBigUInt64BE(BigInt(2 * CLUSTER_BYTES), CLUSTER_BYTES);
  image.writeBigUInt64BE(BigInt(3 * CLUSTER_BYTES), 2 * CLUSTER_BYTES);
  return image;
}
