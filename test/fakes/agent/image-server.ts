/**
 * An image server on loopback that follows a script: each request uses the next entry; after the last one the server
 * answers correctly. Supports ranges and If-Range.
 */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface Turn {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** New contents of the file, from this entry on. */
  readonly file?: Buffer;
  /** null: no such header. */
  readonly etag?: string | null;
  /** Breaks the connection after this many bytes of the answer. */
  readonly cutAfter?: number;
  /** Stops sending after this many bytes of the answer; -1: sends no headers either. */
  readonly stallAfter?: number;
  readonly ignoresRange?: boolean;
  /** Sends no Content-Length. */
  readonly chunked?: boolean;
}

export interface ImageServer {
  readonly url: string;
  /** The Range and path of each request so far. */
  readonly requests: readonly { readonly path: string; readonly range: string | undefined }[];
  readonly close: () => Promise<void>;
}

export async function startImageServer(file: Buffer, turns: readonly Turn[] = []): Promise<ImageServer> {
  const requests: { path: string; range: string | undefined }[] = [];
  const now: { file: Buffer; etag: string | null } = { file, etag: '"first"' };
  const server = createServer((request, response) => {
    const turn = turns[requests.length] ?? {};
    requests.push({ path: request.url ?? '', range: request.headers.range });
    now.file = turn.file ?? now.file;
    if (turn.etag !== undefined) now.etag = turn.etag;
    answer(request, response, turn, now);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/image`,
    requests,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function answer(
  request: IncomingMessage,
  response: ServerResponse,
  turn: Turn,
  { file, etag }: { file: Buffer; etag: string | null },
): void {
  if (turn.stallAfter === -1) return;
  if (turn.status !== undefined) {
    response.writeHead(turn.status, turn.headers).end();
    return;
  }
  const asked = /^bytes=(\d+)-$/.exec(request.headers.range ?? '')?.[1];
  const ifRange = request.headers['if-range'];
  const partial = asked !== undefined && !turn.ignoresRange && (ifRange === undefined || ifRange === etag);
  const from = partial ? Number(asked) : 0;
  if (from >= file.length && partial) {
    response.writeHead(416, { 'content-range': `bytes */${file.length}` }).end();
    return;
  }
  const body = file.subarray(from);
  response.writeHead(partial ? 206 : 200, {
    ...(etag === null ? {} : { etag }),
    ...(turn.chunked ? {} : { 'content-length': String(body.length) }),
    ...(partial ? { 'content-range': `bytes ${from}-${file.length - 1}/${file.length}` } : {}),
    ...turn.headers,
  });
  if (turn.cutAfter !== undefined) {
    response.write(body.subarray(0, turn.cutAfter), () => response.destroy());
  } else if (turn.stallAfter !== undefined) {
    response.write(body.subarray(0, turn.stallAfter));
  } else {
    response.end(body);
  }
}
