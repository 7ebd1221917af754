/**
 * An HTTP server on loopback that serves images correctly or with faults, depending on the path.
 */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export type Answer = (request: IncomingMessage, response: ServerResponse) => void;

export interface ImageServer {
  readonly url: (path: string) => string;
  /** `METHOD path` of every request so far. */
  readonly asked: string[];
  readonly answers: Map<string, Answer>;
  close(): Promise<void>;
}

export async function startImageServer(answers: Readonly<Record<string, Answer>> = {}): Promise<ImageServer> {
  const known = new Map(Object.entries(answers));
  const asked: string[] = [];
  const server: Server = createServer((request, response) => {
    asked.push(`${request.method} ${request.url}`);
    const answer = known.get(request.url?.split('?')[0] ?? '');
    if (answer === undefined) response.writeHead(404).end('no such file');
    else answer(request, response);
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  const { port } = server.address() as AddressInfo;
  return {
    url: (path) => `http://127.0.0.1:${port}${path}`,
    asked,
    answers: known,
    close: () =>
      new Promise((closed) => {
        server.close(() => closed());
        server.closeAllConnections();
      }),
  };
}

export const whole =
  (body: Uint8Array | string): Answer =>
  (_, response) =>
    void response.writeHead(200, { 'content-length': Buffer.byteLength(body) }).end(body);

export const redirect =
  (to: string): Answer =>
  (_, response) =>
    void response.writeHead(302, { location: to }).end();

/** Announces all of `body`, sends its first half and closes the connection. */
export const cut =
  (body: Uint8Array): Answer =>
  (_, response) => {
    response.writeHead(200, { 'content-length': body.length });
    response.write(body.subarray(0, body.length / 2), () => response.destroy());
  };

/** Sends the first half of `body`, then nothing. */
export const stalled =
  (body: Uint8Array): Answer =>
  (_, response) => {
    response.writeHead(200, { 'content-length': body.length });
    response.write(body.subarray(0, body.length / 2));
  };
