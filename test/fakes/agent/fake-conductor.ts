/**
 * A conductor as an agent sees it, on loopback. It answers lookups, heartbeats and inspection with the test's answers
 * in order, repeats the last one, and keeps every request.
 */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface FakeAnswer {
  readonly status?: number;
  readonly body?: unknown;
  /** Sent unchanged instead of `body`. */
  readonly text?: string;
  /** The connection is closed without an answer. */
  readonly cut?: boolean;
}

export interface SeenRequest {
  readonly method: string;
  readonly path: string;
  readonly query: Readonly<Record<string, string>>;
  readonly version: string;
  readonly body: unknown;
}

export interface FakeConductor {
  readonly url: string;
  readonly seen: SeenRequest[];
  close(): Promise<void>;
}

export const NODE_UUID = '1be26c0b-03f2-4d2e-ae87-c02d7f33c123';
export const TOKEN = 'token-of-43-characters-abcdefghijklmnopqrst';

export const lookupAnswer = (config: Readonly<Record<string, unknown>> = {}): FakeAnswer => ({
  body: {
    node: { uuid: NODE_UUID, properties: {}, instance_info: {}, driver_internal_info: {} },
    config: { heartbeat_timeout: 300, agent_token: TOKEN, agent_token_required: true, ...config },
  },
});

/** Ironic's error body: JSON as a string inside JSON. */
export const refusal = (status: number, faultstring: string): FakeAnswer => ({
  status,
  body: { error_message: JSON.stringify({ faultcode: 'Client', faultstring, debuginfo: null }) },
});

/** @param answers by the first part of the path after /v1: `lookup`, `heartbeat`, `continue_inspection`. */
export async function startFakeConductor(
  answers: Readonly<Record<string, readonly FakeAnswer[]>>,
): Promise<FakeConductor> {
  const seen: SeenRequest[] = [];
  const turns = new Map<string, number>();
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const url = new URL(request.url ?? '', 'http://conductor');
      const text = Buffer.concat(chunks).toString();
      seen.push({
        method: request.method ?? '',
        path: url.pathname,
        query: Object.fromEntries(url.searchParams),
        version: String(request.headers['x-openstack-ironic-api-version']),
        body: text === '' ? null : JSON.parse(text),
      });
      const key = url.pathname.split('/')[2] ?? '';
      const turn = turns.get(key) ?? 0;
      turns.set(key, turn + 1);
      const list = answers[key] ?? [refusal(404, 'no such thing')];
      const answer = list[Math.min(turn, list.length - 1)] ?? {};
      if (answer.cut) return request.socket.destroy();
      response.writeHead(answer.status ?? 200, { 'content-type': 'application/json', connection: 'close' });
      return response.end(answer.text ?? (answer.body === undefined ? '' : JSON.stringify(answer.body)));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    seen,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
