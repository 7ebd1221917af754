/**
 * What the image service fetches for its users: a file on an HTTP server, with every failure in words for them.
 */
import { IngotError } from '../domain/errors.ts';
import { type ByteSource, type HttpOptions, openHttp, publicUrl } from './http-source.ts';
import { explain } from './source-error.ts';

/** As `openHttp`; its chunks too throw imageFailure when they break off. */
export async function openForImport(url: string, options: Omit<HttpOptions, 'field'>): Promise<ByteSource> {
  const source = await openHttp(url, { ...options, field: 'uri' });
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
    const broke = `uri: ${publicUrl(finalUrl)} broke off after ${bytes} bytes: ${explain(error)}`;
    throw new IngotError('imageFailure', broke, { cause: error });
  }
}
