/**
 * Sends a file with HEAD, ETag and single byte ranges (RFC 9110 section 14), with large reads and constant memory.
 */
import { type FileHandle, open } from 'node:fs/promises';
import { Readable } from 'node:stream';
import type { FastifyReply, FastifyRequest } from 'fastify';

/**
 * Large reads are faster, but up to twice the size of a read is in memory for a client that does not read. So a few
 * transfers have large reads, and of many each has small ones.
 */
const MOST_READ_BYTES = 1024 * 1024;
const LEAST_READ_BYTES = 64 * 1024;
const SHARED_READ_BYTES = 4 * MOST_READ_BYTES;
let transfers = 0;

const readBytes = (): number =>
  Math.max(LEAST_READ_BYTES, Math.min(MOST_READ_BYTES, Math.floor(SHARED_READ_BYTES / transfers)));

export interface FileResponse {
  readonly contentType?: string;
  /** Called when the file's last byte was passed to the connection; not after an interruption. */
  readonly onDone?: (bytes: number) => void;
}

/** Answers 200, 206, or 416 for a range outside the file. Throws ENOENT without a file. The caller checks access. */
export async function sendFile(
  request: FastifyRequest,
  reply: FastifyReply,
  path: string,
  options: FileResponse = {},
): Promise<FastifyReply> {
  const file = await open(path);
  try {
    return await respond(request, reply, file, options);
  } catch (error) {
    await file.close();
    throw error;
  }
}

/**
 * Size and bytes come from the same open file, so a file that is replaced in the meantime is not mixed with the new
 * one.
 */
async function respond(
  request: FastifyRequest,
  reply: FastifyReply,
  file: FileHandle,
  options: FileResponse,
): Promise<FastifyReply> {
  const { size, mtimeMs } = await file.stat();
  const etag = `"${size.toString(16)}-${Math.round(mtimeMs).toString(16)}"`;
  reply
    .header('accept-ranges', 'bytes')
    .header('etag', etag)
    .type(options.contentType ?? 'application/octet-stream');
  const ifRange = request.headers['if-range'];
  const mayBePart = request.method === 'GET' && (ifRange === undefined || ifRange === etag);
  const asked = mayBePart ? request.headers.range : undefined;
  const range = asked === undefined ? undefined : parseRange(asked, size);
  if (range === 'outside') {
    await file.close();
    return reply.code(416).header('content-range', `bytes */${size}`).send();
  }
  const { start, end } = range ?? { start: 0, end: size - 1 };
  reply.header('content-length', end - start + 1);
  if (range !== undefined) reply.code(206).header('content-range', `bytes ${start}-${end}/${size}`);
  if (request.method === 'HEAD' || size === 0) {
    await file.close();
    // Without a payload, Fastify's HEAD routes would report the length 0.
    return reply.send(Readable.from([]));
  }
  transfers += 1;
  const stream = file.createReadStream({ start, end, highWaterMark: readBytes() });
  stream.once('close', () => {
    transfers -= 1;
  });
  if (end === size - 1) reply.raw.once('finish', () => options.onDone?.(end - start + 1));
  return reply.send(stream);
}

/**
 * `bytes=a-b`, `bytes=a-`, `bytes=-n`; undefined without a range or with several: the answer is then the whole file.
 */
export function parseRange(
  header: string,
  size: number,
): { start: number; end: number } | 'outside' | undefined {
  const [, first = '', last = ''] = /^bytes=(\d*)-(\d*)$/.exec(header) ?? [];
  if (first === '' && last === '') return undefined;
  const start = first === '' ? Math.max(0, size - Number(last)) : Number(first);
  const end = first === '' || last === '' ? size - 1 : Math.min(Number(last), size - 1);
  return start > end || start >= size ? 'outside' : { start, end };
}
