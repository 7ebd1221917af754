/**
 * Reads the config drive of prepare_image and write_image: base64 of a gzip file, or the URL of such a text.
 */
import { gunzipSync } from 'node:zlib';
import { Agent, interceptors, request } from 'undici';
import { formatBytes } from '../disk/byte-size.ts';
import { publicUrl, reasonOf } from './download-error.ts';

/** The limit of Ironic. */
export const MAX_CONFIG_DRIVE_BYTES = 64 * 1024 * 1024;
/** Longest base64 text in proportion to its content, should that not compress: a third more, line ends and reserve. */
const TEXT_FACTOR = 1.5;
const FETCH_TIMEOUT_MS = 60_000;
const MAX_REDIRECTS = 5;

/** Throws, with an error that names configdrive, if it cannot be fetched, is in neither form, or is too large. */
export async function readConfigDrive(
  value: string,
  signal: AbortSignal,
  mostBytes = MAX_CONFIG_DRIVE_BYTES,
): Promise<Buffer> {
  const isUrl = /^https?:/.test(value);
  const encoded = isUrl ? await fetchText(value, signal, mostBytes * TEXT_FACTOR) : value;
  const zipped = Buffer.from(encoded, 'base64');
  try {
    return gunzipSync(zipped, { maxOutputLength: mostBytes });
  } catch (error) {
    if ((error as { code?: string }).code === 'ERR_BUFFER_TOO_LARGE')
      throw tooBig(sizeBeforeGzip(zipped), mostBytes);
    throw new Error('the configdrive is not base64 of a gzip file, nor the URL of such a text', {
      cause: error,
    });
  }
}

const tooBig = (bytes: number, mostBytes: number): Error =>
  new Error(
    `the configdrive is ${formatBytes(bytes)}, more than the limit of ${formatBytes(mostBytes)}: give less user_data, or let the machine fetch it later`,
  );

/** ISIZE, the last field of a gzip file (RFC 1952 section 2.3.1). */
const sizeBeforeGzip = (zipped: Buffer): number => zipped.readUInt32LE(zipped.length - 4);

async function fetchText(url: string, signal: AbortSignal, mostBytes: number): Promise<string> {
  const failed = (why: string, cause?: unknown): Error =>
    new Error(`the configdrive's URL ${publicUrl(url)} ${why}`, { cause });
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
      if (bytes > mostBytes) throw failed(`sends more than ${formatBytes(mostBytes)}`);
      parts.push(part);
    }
    return Buffer.concat(parts).toString('latin1');
  } catch (error) {
    signal.throwIfAborted();
    const ours = (error as Error).message.startsWith('the configdrive');
    throw ours ? error : failed(`could not be fetched: ${reasonOf(error)}`, error);
  } finally {
    await agent.destroy();
  }
}
