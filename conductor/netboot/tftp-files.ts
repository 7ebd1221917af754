/**
 * The files that TFTP serves. Their real path must be inside the root. They are cached, because every machine asks for
 * the same few files.
 */
import { readFile, realpath, stat } from 'node:fs/promises';
import { basename, join, sep } from 'node:path';

export interface TftpFiles {
  /**
   * undefined: the file does not exist or may not be served to this client address. Throws if it exists and cannot be
   * read.
   */
  read(name: string, client: string): Promise<Buffer | undefined>;
}

/** Enough for boot programs. */
const MAX_BYTES = 32 * 1024 * 1024;
const MAX_NAME = 255;
/** iPXE asks for this file and stops at an error, so without one it gets an empty file. */
const IPXE_AUTOEXEC = 'autoexec.ipxe';

/** `maxBytes` limits the size of one file. The cache holds twice as much. */
export function createTftpFiles(root: string, { maxBytes = MAX_BYTES } = {}): TftpFiles {
  const cache = new Map<string, { readonly mtimeMs: number; readonly data: Buffer }>();
  const cachedBytes = (): number => [...cache.values()].reduce((sum, { data }) => sum + data.length, 0);

  return {
    async read(name) {
      if (name.length > MAX_NAME || name.includes('\0')) return undefined;
      // Firmware asks with and without a leading slash, and some with backslashes.
      const plain = name.replaceAll('\\', '/').replace(/^\/+/, '');
      if (plain === '') return undefined;
      const base = await realpath(root);
      const path = await realpath(join(base, plain)).catch(absent);
      if (path === undefined) return basename(plain) === IPXE_AUTOEXEC ? Buffer.alloc(0) : undefined;
      if (!path.startsWith(base + sep)) return undefined;
      const found = await stat(path);
      if (!found.isFile() || found.size > maxBytes) return undefined;
      const known = cache.get(path);
      if (known?.mtimeMs === found.mtimeMs && known.data.length === found.size) return known.data;
      const data = await readFile(path);
      if (cachedBytes() + data.length > 2 * maxBytes) cache.clear();
      cache.set(path, { mtimeMs: found.mtimeMs, data });
      return data;
    },
  };
}

function absent(error: NodeJS.ErrnoException): undefined {
  if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return undefined;
  throw error;
}
