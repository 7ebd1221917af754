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
  /** Makes the header 112 bytes long. */
  readonly compressionType?: number;
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
  const length = fields.compressionType === undefined ? 104 : 112;
  bytes.writeUInt32BE(length, 100);
  if (fields.compressionType !== undefined) bytes[104] = fields.compressionType;
  let at = length;
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

/** Small clusters: an L2 table has 64 entries, or with `features` 1n << 4n and clusters of 16 KiB 1,024. */
export interface MadeImage extends Qcow2Fields {
  /** What the L1 table contains; the table is in the second cluster. */
  readonly l1: readonly bigint[];
  /** Clusters by their number: tables as words, data as bytes. */
  readonly clusters: Readonly<Record<number, readonly bigint[] | Uint8Array>>;
}

/** An image of chosen clusters; it ends with the last one of them. */
export function madeQcow2({ l1, clusters, ...fields }: MadeImage): Buffer {
  const clusterBits = fields.clusterBits ?? 9;
  const size = 2 ** clusterBits;
  const count = 1 + Math.max(1, ...Object.keys(clusters).map(Number));
  const image = Buffer.alloc(count * size);
  const header = { clusterBits, l1Entries: l1.length, l1Offset: BigInt(size), ...fields };
  qcow2Header(header).copy(image);
  for (const [number, content] of Object.entries({ ...clusters, 1: l1 }))
    contentBytes(content).copy(image, Number(number) * size);
  return image;
}

function contentBytes(content: readonly bigint[] | Uint8Array): Buffer {
  if (content instanceof Uint8Array) return Buffer.from(content);
  const bytes = Buffer.alloc(content.length * 8);
  content.forEach((word, i) => void bytes.writeBigUInt64BE(word, i * 8));
  return bytes;
}

/**
 * The beginning of an image with so many L2 tables that reading them takes long: header and L1 table, in clusters of 512
 * bytes. The tables follow one after the other; all of them may be a hole of the file. `bytes` is the size of the file.
 */
export function manyTables(tables: number): { readonly head: Buffer; readonly bytes: number } {
  const l1 = 512;
  const first = l1 + Math.ceil((tables * 8) / 512) * 512;
  const head = Buffer.alloc(first);
  qcow2Header({
    clusterBits: 9,
    virtualSize: BigInt(tables) * 32_768n,
    l1Entries: tables,
    l1Offset: BigInt(l1),
  }).copy(head);
  for (let i = 0; i < tables; i += 1) head.writeBigUInt64BE(BigInt(first + i * 512), l1 + i * 8);
  return { head, bytes: first + tables * 512 };
}
