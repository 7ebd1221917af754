/**
 * The `newc` cpio archive that the Linux kernel unpacks as initramfs
 * (Documentation/driver-api/early-userspace/buffer-format).
 *
 *   | "070701" | 13 fields of 8 hex digits | name NUL | pad to 4 | data | pad to 4 | ... TRAILER!!!
 *
 * The same entries always give the same bytes: sorted names, owner 0, time 0, consecutive inode numbers.
 */
export type CpioEntry =
  | { readonly kind: 'directory'; readonly path: string; readonly mode?: number }
  | { readonly kind: 'file'; readonly path: string; readonly mode: number; readonly data: Uint8Array }
  | { readonly kind: 'link'; readonly path: string; readonly target: string }
  | {
      readonly kind: 'character device';
      readonly path: string;
      readonly mode: number;
      readonly major: number;
      readonly minor: number;
    };

const TYPE = { directory: 0o040000, file: 0o100000, link: 0o120000, 'character device': 0o020000 } as const;
const TRAILER = 'TRAILER!!!';

/** Adds missing parent directories. Throws if a path occurs twice. */
export function encodeCpio(entries: readonly CpioEntry[]): Buffer {
  const byPath = new Map<string, CpioEntry>();
  for (const entry of entries) {
    if (byPath.has(entry.path)) throw new Error(`two entries for ${entry.path}`);
    byPath.set(entry.path, entry);
  }
  for (const path of [...byPath.keys()]) {
    for (const parent of parentsOf(path))
      if (!byPath.has(parent)) byPath.set(parent, { kind: 'directory', path: parent });
  }
  const sorted = [...byPath.values()].sort((a, b) => (a.path < b.path ? -1 : 1));
  const records = sorted.map((entry, index) => record(entry, index + 1));
  return Buffer.concat([...records, header({ name: TRAILER, inode: 0, mode: 0, size: 0, links: 1 })]);
}

function parentsOf(path: string): string[] {
  const parts = path.split('/').slice(0, -1);
  return parts.map((_, i) => parts.slice(0, i + 1).join('/'));
}

function record(entry: CpioEntry, inode: number): Buffer {
  const data =
    entry.kind === 'file' ? entry.data : entry.kind === 'link' ? Buffer.from(entry.target) : Buffer.alloc(0);
  const permission = entry.kind === 'link' ? 0o777 : (entry.mode ?? 0o755);
  const head = header({
    name: entry.path,
    inode,
    mode: TYPE[entry.kind] | permission,
    size: data.length,
    links: entry.kind === 'directory' ? 2 : 1,
    ...(entry.kind === 'character device' ? { major: entry.major, minor: entry.minor } : {}),
  });
  return Buffer.concat([head, data, Buffer.alloc(padding(data.length))]);
}

interface Header {
  readonly name: string;
  readonly inode: number;
  readonly mode: number;
  readonly size: number;
  readonly links: number;
  readonly major?: number;
  readonly minor?: number;
}

function header({ name, inode, mode, size, links, major = 0, minor = 0 }: Header): Buffer {
  const bytes = Buffer.from(`${name}\0`);
  const fields = [inode, mode, 0, 0, links, 0, size, 0, 0, major, minor, bytes.length, 0];
  const hex = fields.map((field) => field.toString(16).padStart(8, '0')).join('');
  const head = Buffer.concat([Buffer.from(`070701${hex}`), bytes]);
  return Buffer.concat([head, Buffer.alloc(padding(head.length))]);
}

const padding = (length: number): number => (4 - (length % 4)) % 4;

const HEADER_BYTES = 110;

export interface DecodedEntry {
  readonly path: string;
  /** The header as in the archive. */
  readonly head: Buffer;
  readonly mode: number;
  /** The content of a file, or the target of a link. */
  readonly data: Buffer;
}

/** The entries of a `newc` archive. Throws if it is not one or is truncated. */
export function decodeCpio(archive: Buffer): DecodedEntry[] {
  const entries: DecodedEntry[] = [];
  for (let at = 0; at + HEADER_BYTES <= archive.length; ) {
    const head = archive.subarray(at, at + HEADER_BYTES);
    if (head.toString('latin1', 0, 6) !== '070701') throw new Error(`no cpio header at byte ${at}`);
    const field = (index: number): number =>
      Number.parseInt(head.toString('latin1', 6 + index * 8, 14 + index * 8), 16);
    const [nameBytes, dataBytes] = [field(11), field(6)];
    const nameEnd = at + HEADER_BYTES + nameBytes;
    const path = archive.toString('utf8', at + HEADER_BYTES, nameEnd - 1);
    if (path === TRAILER) return entries;
    const dataAt = nameEnd + padding(nameEnd - at);
    entries.push({ path, head, mode: field(1), data: archive.subarray(dataAt, dataAt + dataBytes) });
    at = dataAt + dataBytes + padding(dataBytes);
  }
  throw new Error('a cpio archive without its trailer');
}
