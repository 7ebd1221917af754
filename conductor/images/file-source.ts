/**
 * `file://` images: only regular files under a directory the operator allowed, links resolved.
 *
 * A path may come to mean another file between two looks at it. So the file is held by a descriptor that
 * can do nothing else (O_PATH: opening a device or a pipe that way wakes nothing), that is what is
 * checked, and what is read is the descriptor's own file and not the path again.
 */
import { type FileHandle, open, readlink, realpath } from 'node:fs/promises';
import { sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { IngotError } from '../domain/errors.ts';

/** open(2) on Linux; Node does not name it. */
const O_PATH = 0o10000000;

const failure = (what: string): IngotError =>
  new IngotError('imageFailure', `instance_info/image_source: ${what}`);

export interface FileSource {
  /** Open for reading; the caller closes it. */
  readonly handle: FileHandle;
  readonly sizeBytes: number;
  /** The same as long as the file is the same and nobody wrote to it. */
  readonly identity: string;
}

/** No I/O: whether file sources are on at all and the URL is one. Throws invalidParameter. */
export function checkFileUrl(source: string, allowed: readonly string[]): void {
  const invalid = (what: string): IngotError =>
    new IngotError('invalidParameter', `instance_info/image_source: ${what}`);
  if (allowed.length === 0) {
    throw invalid(
      'file:// images are switched off; set images.file_allow to the directories they may lie in',
    );
  }
  if (new URL(source).hostname !== '')
    throw invalid('a file URL must not name a host: write file:///directory/file');
  if (/%00|%2f/i.test(source)) throw invalid('a file URL must not hold %00 or %2F');
}

/** Throws imageFailure when the file may not be used or cannot be read. */
export async function openFileSource(source: string, allowed: readonly string[]): Promise<FileSource> {
  checkFileUrl(source, allowed);
  const held = await open(fileURLToPath(source), O_PATH).catch(() => {
    throw failure(`${source} does not exist or cannot be read by the conductor`);
  });
  try {
    const own = `/proc/self/fd/${held.fd}`;
    const path = await readlink(own);
    const roots = await Promise.all(allowed.map((directory) => realpath(directory).catch(() => undefined)));
    if (!roots.some((root) => root !== undefined && path.startsWith(withSlash(root))))
      throw failure(
        `${source} does not lie in a directory of images.file_allow: move it there, or add its directory`,
      );
    const stat = await held.stat({ bigint: true });
    if (!stat.isFile()) throw failure(`${source} is not a regular file`);
    const handle = await open(own, 'r').catch((error: NodeJS.ErrnoException) => {
      throw failure(`${source} cannot be read by the conductor (${error.code}): change its permissions`);
    });
    const identity = [path, stat.dev, stat.ino, stat.size, stat.mtimeNs].join('\0');
    return { handle, sizeBytes: Number(stat.size), identity };
  } finally {
    await held.close();
  }
}

const withSlash = (directory: string): string => (directory.endsWith(sep) ? directory : directory + sep);
