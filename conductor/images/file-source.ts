/**
 * `file://` images: only regular files under a directory the operator allowed, links resolved.
 */
import { realpath, stat } from 'node:fs/promises';
import { sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { IngotError } from '../domain/errors.ts';

const field = 'instance_info.image_source';

/** No I/O: whether file sources are on at all and the URL is one. */
export function checkFileUrl(source: string, allowed: readonly string[]): void {
  if (allowed.length === 0) {
    throw new IngotError(
      'invalidParameter',
      `${field}: file:// images are switched off; set images.file_allow to the directories they may lie in`,
    );
  }
  if (new URL(source).hostname !== '')
    throw new IngotError('invalidParameter', `${field}: a file URL must not name a host`);
}

/** The real path of a file that may be used. Throws imageFailure. */
export async function openFileSource(source: string, allowed: readonly string[]): Promise<string> {
  checkFileUrl(source, allowed);
  const path = await realpath(fileURLToPath(source)).catch(() => {
    throw new IngotError('imageFailure', `image file ${source} does not exist or cannot be read`);
  });
  const roots = await Promise.all(allowed.map((directory) => realpath(directory).catch(() => undefined)));
  if (!roots.some((root) => root !== undefined && path.startsWith(root + sep))) {
    throw new IngotError(
      'imageFailure',
      `image file ${source} does not lie in a directory of images.file_allow`,
    );
  }
  if (!(await stat(path)).isFile())
    throw new IngotError('imageFailure', `image ${source} is not a regular file`);
  return path;
}
