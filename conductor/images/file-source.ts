/**
 * `file://` images: only regular files under an allowed directory, after links are resolved.
 *
 * The file behind a path may change between check and use. The file is therefore opened with O_PATH, which has no side
 * effects on devices and pipes, then this descriptor is checked, and the data is read from the same descriptor.
 */
import { type FileHandle, open, readlink, realpath } from 'node:fs/promises';
import { sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { IngotError } from '../domain/errors.ts';

/** From open(2) on Linux; Node has no constant for it. */
const O_PATH = 0o10000000;

const failure = (what: string): IngotError =>
  new IngotError('imageFailure', `instance_info/image_source: ${what}`);

export interface FileSource {
  /** Opened for reading; the caller closes it. */
  readonly handle: FileHandle;
  readonly sizeBytes: number;
  /** Changes when the file is replaced or written to. */
  readonly identity: string;
}

/** Checks without I/O that file sources are enabled and that the URL is valid. Throws invalidParameter. */
export function checkFileUrl(source: string, allowed: readonly string[]): void {
  const invalid = (what: string): IngotError =>
    new IngotError('invalidParameter', `instance_info/image_source: ${what}`);
  if (allowed.length === 0) {
    throw invalid(
      'file:// images are disabled; set images.file_allow to the directories that they may be in',
    );
  }
  if (new URL(source).hostname !== '')
    throw invalid('a file URL must not contain a host: write file:///directory/file');
  if (/%00|%2f/i.test(source)) throw invalid('a file URL must not contain %00 or %2F');
}

/** Throws imageFailure if the file may not be used or cannot be read. */
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
        `${source} is not in a directory of images.file_allow: move it there, or add its directory`,
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
