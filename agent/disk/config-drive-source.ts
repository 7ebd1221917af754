/**
 * A config drive as prepare_image and write_image give it: base64 of gzip, or the URL of such a text.
 */
import { gunzipSync } from 'node:zlib';
import { Agent, interceptors, request } from 'undici';
import { formatBytes } from './byte-size.ts';

/** Ironic's own limit. */
export const MAX_CONFIG_DRIVE_BYTES = 64 * 1024 * 1024;
/** Base64 of what does not compress, with line ends and some room. */
const MAX_TEXT_BYTES = MAX_CONFIG_DRIVE_BYTES * 1.5;
const FETCH_TIMEOUT_MS = 60_000;
const MAX_REDIRECTS = 5;

/** Throws, naming configdrive, when it cannot be had, is neither of them, or is too big. */
export async function readConfigDrive(value: string, signal: AbortSignal): Promise<Buffer> {
  const encoded = /^https?:/.test(value) ? await fetchText(value, signal) : value;
  const zipped = Buffer.from(encoded, 'base64');
  try {
    return gunzipSync(zipped, { maxOutputLength: MAX_CONFIG_DRIVE_BYTES });
  } catch (error) {
    if ((error as { code?: string }).code === 'ERR_BUFFER_TOO_LARGE') throw tooBig(sizeBeforeGzip(zipped));
    throw new Error('the configdrive is not base64 of a gzip file, nor the URL of such a text', {
      cause: error,
    });
  }
}

const tooBig = (bytes: number): Error =>
  new Error(
    `the configdrive is ${formatBytes(bytes)}, more than the limit of ${formatBytes(MAX_CONFIG_DRIVE_BYTES)}: give less user_data, or let the machine fetch it later`,
  );

/** ISIZE, the last field of a gzip file (RFC 1952 section 2.3.1). */
const sizeBeforeGzip = (zipped: Buffer): number => zipped.readUInt32LE(zipped.length - 4);

async function fetchText(url: string, signal: AbortSignal): Promise<string> {
  const { origin, pathname } = new URL(url);
  const failed = (why: string, cause?: unknown): Error =>
    new Error(`the configdrive's URL ${origin}${pathname} ${why}`, { cause });
  const agent = new Agent();
  try {
    const response = await request(url, {
      dispatcher: agent.compose(interceptors.redirect({ maxRedirections: MAX_REDIRECTS })),
      signal: AbortSignal.any([signal, AbortSignal.timeout(FETCH_TIMEOUT_MS)]),
    });
    if (response.statusCode !== 200) throw failed(`answered HTTP ${response.statusCode}`);
    const parts: Buffer[] = [];
    let bytes = 0;
    for await (const part of response.body as AsyncIterable<Buffer>) {
      bytes += part.length;
      if (bytes > MAX_TEXT_BYTES) throw failed(`sends more than ${formatBytes(MAX_TEXT_BYTES)}`);
      parts.push(part);
    }
    return Buffer.concat(parts).toString('latin1');
  } catch (error) {
    signal.throwIfAborted();
    const said = (error as Error).message;
    throw said.startsWith('the configdrive') ? error : failed(`could not be fetched: ${said}`, error);
  } finally {
    await agent.destroy();
  }
}
