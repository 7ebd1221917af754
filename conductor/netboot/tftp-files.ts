/**
 * The files TFTP may give: by real path inside the root, kept in memory since every machine asks for the same few.
 */
import { readFile, realpath, stat } from 'node:fs/promises';
import { join, sep } from 'node:path';

export interface TftpFiles {
  /** undefined: there is none, or it may not be given. */
  read(name: string): Promise<Buffer | undefined>;
}

/** Boot programs are small; TFTP is for nothing else. */
const MAX_BYTES = 32 * 1024 * 1024;
/** iPXE asks for it and stops when it gets an error. */
const EMPTY = 'autoexec.ipxe';

export function createTftpFiles(root: string): TftpFiles {
  const cache = new Map<string, { readonly mtimeMs: number; readonly data: Buffer }>();
  return {
    async read(name) {
      // Firmware asks with and without a slash, and some with backslashes.
      const plain = name.replaceAll('\\', '/').replace(/^\/+/, '');
      if (plain === '' || plain.includes('\0')) return undefined;
      const base = await realpath(root);
      const path = await realpath(join(base, plain)).catch(() => undefined);
      if (path === undefined) return plain === EMPTY ? Buffer.alloc(0) : undefined;
      if (!path.startsWith(base + sep)) return undefined;
      const { mtimeMs, size, ...file } = await stat(path);
      if (!isRegular(file.mode) || size > MAX_BYTES) return undefined;
      const known = cache.get(path);
      if (known?.mtimeMs === mtimeMs) return known.data;
      const data = await readFile(path);
      cache.set(path, { mtimeMs, data });
      return data;
    },
  };
}

const isRegular = (mode: number): boolean => (mode & 0o170000) === 0o100000;
