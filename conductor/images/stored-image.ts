/**
 * Images of the conductor's own image service, given as `glance://<uuid>` or UUID. They are read in place.
 */
import { type FileHandle, open } from 'node:fs/promises';
import { IngotError } from '../domain/errors.ts';
import { type ImageRequest, STORED_SCHEME, type StoredImages, storedImageId } from '../domain/images.ts';

/**
 * Adds the digest and the format of the stored image to the request. Values in the request take precedence. If it has
 * both, the image service is not asked, because the image may be deleted and still cached. Throws imageFailure.
 */
export async function completeFromStored(
  request: ImageRequest,
  stored: StoredImages | undefined,
): Promise<ImageRequest> {
  const id = stored === undefined ? undefined : storedImageId(request.source);
  if (stored === undefined || id === undefined) return request;
  const source = `${STORED_SCHEME}${id}`;
  const isComplete =
    request.diskFormat !== undefined && (request.digest ?? request.checksumUrl) !== undefined;
  if (isComplete) return { ...request, source };
  const { digest, diskFormat } = await stored.locate(id);
  return {
    ...request,
    source,
    ...(request.digest === undefined && request.checksumUrl === undefined ? { digest } : {}),
    ...(request.diskFormat === undefined && diskFormat !== null ? { diskFormat } : {}),
  };
}

/** Throws imageFailure if the image does not exist or cannot be read. */
export async function openStoredImage(
  id: string,
  stored: StoredImages | undefined,
): Promise<{ readonly handle: FileHandle; readonly sizeBytes: number }> {
  if (stored === undefined) throw failure(id, 'this conductor has no image service');
  const { path } = await stored.locate(id);
  const handle = await open(path, 'r').catch((error: NodeJS.ErrnoException) => {
    throw failure(id, `its data cannot be read (${error.code})`);
  });
  try {
    return { handle, sizeBytes: (await handle.stat()).size };
  } catch (error) {
    await handle.close();
    throw error;
  }
}

const failure = (id: string, what: string): IngotError =>
  new IngotError('imageFailure', `instance_info/image_source: image ${id}: ${what}`);
