/**
 * Opens the file for an image import (`web-download`). Errors name the field `uri` of the import request.
 */
import { IngotError } from '../domain/errors.ts';
import { redactedUrl } from '../domain/redacted-url.ts';
import { type ByteSource, type HttpOptions, openHttp } from './http-source.ts';
import { explain } from './source-error.ts';

/** Like `openHttp`, but reading the chunks throws imageFailure too. */
export async function openForImport(
  url: string,
  options: Omit<HttpOptions, 'field' | 'forGuests'>,
): Promise<ByteSource> {
  const source = await openHttp(url, { ...options, field: 'uri', forGuests: true });
  return { ...source, chunks: explained(source, options.signal) };
}

async function* explained({ chunks, finalUrl }: ByteSource, signal: AbortSignal): AsyncGenerator<Buffer> {
  let bytes = 0;
  try {
    for await (const chunk of chunks) {
      bytes += chunk.length;
      yield chunk;
    }
  } catch (error) {
    signal.throwIfAborted();
    const broke = `uri: ${redactedUrl(finalUrl)} broke off after ${bytes} bytes: ${explain(error)}`;
    throw new IngotError('imageFailure', broke, { cause: error });
  }
}
