/**
 * An HTTP proxy on loopback that hands requests on as they are, and keeps them with their answers.
 */
import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { request } from 'undici';
import type { Exchange } from './recording.ts';

/** Of a connection, not of a request. */
const UNKEPT = new Set(['host', 'connection', 'content-length', 'transfer-encoding', 'keep-alive']);

export interface RecordingProxy extends AsyncDisposable {
  readonly url: string;
  readonly port: number;
  /** All exchanges since the last `take`. */
  readonly kept: readonly Exchange[];
  take(): readonly Exchange[];
}

export async function startRecordingProxy(target: string): Promise<RecordingProxy> {
  let kept: Exchange[] = [];
  const server = createServer(async (incoming, outgoing) => {
    const { method = 'GET', url: path = '/' } = incoming;
    const headers = keptHeaders(incoming.headers);
    const body = await text(incoming);
    try {
      const answer = await request(`${target}${path}`, {
        method: method as 'GET',
        headers,
        body: body === '' ? null : body,
      });
      const answered = await answer.body.text();
      kept.push({
        request: { method, path, headers, body: parsed(body) },
        answer: { status: answer.statusCode, body: parsed(answered) },
      });
      const type = String(answer.headers['content-type'] ?? 'text/plain');
      outgoing.writeHead(answer.statusCode, { 'content-type': type }).end(answered);
    } catch {
      outgoing.destroy();
    }
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    port,
    get kept() {
      return kept;
    },
    take() {
      const taken = kept;
      kept = [];
      return taken;
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

const keptHeaders = (headers: IncomingHttpHeaders): Record<string, string> =>
  Object.fromEntries(
    Object.entries(headers)
      .filter(([name]) => !UNKEPT.has(name))
      .map(([name, value]) => [name, String(value)]),
  );

function parsed(body: string): unknown {
  if (body === '') return null;
  try {
    return JSON.parse(body);
  } catch {
    return body;
  }
}
