/** The server on loopback, against a small client that can also misbehave. */
import { createSocket, type RemoteInfo, type Socket } from 'node:dgram';
import { once } from 'node:events';
import { decodeTftp, encodeTftp, type TftpPacket } from '@ingot/shared/codec/tftp.ts';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createTftpServer, type TftpLimits, type TftpServer } from './tftp-server.ts';
import type { TransferReport } from './tftp-transfer.ts';

const FILE = Buffer.from(Uint8Array.from({ length: 40_000 }, (_, i) => (i * 31) & 0xff));
const ADDRESS = '127.0.0.1';
const DEFAULTS: TftpLimits = { serves: () => true, perAddress: 200, plainRequests: true };
let limits: { -readonly [K in keyof TftpLimits]: TftpLimits[K] };

let server: TftpServer;
let port: number;
let reports: TransferReport[];
let refused: string[];
let errors: unknown[];
let sockets: Socket[];
let stopped: boolean;

async function freePort(): Promise<number> {
  const socket = createSocket('udp4');
  socket.bind(0, ADDRESS);
  await once(socket, 'listening');
  const found = socket.address().port;
  socket.close();
  return found;
}

beforeEach(async () => {
  [reports, refused, errors, sockets] = [[], [], [], []];
  limits = { ...DEFAULTS };
  stopped = false;
  port = await freePort();
  server = createTftpServer({
    address: ADDRESS,
    port,
    limits,
    files: {
      read: async (name) => (name === 'file' ? FILE : name === 'text' ? Buffer.from('a\n') : undefined),
    },
    onStart: () => undefined,
    onEnd: (report) => reports.push(report),
    onRefused: (_client, reason) => refused.push(reason),
    onError: (error) => errors.push(error),
  });
  await server.start();
});
afterEach(async () => {
  for (const socket of sockets) socket.close();
  if (!stopped) await server.stop();
  expect(errors).toEqual([]);
});

interface Client {
  readonly socket: Socket;
  send(packet: TftpPacket, toPort?: number): void;
  next(): Promise<[TftpPacket, RemoteInfo]>;
}

async function openClient(): Promise<Client> {
  const socket = createSocket('udp4');
  sockets.push(socket);
  socket.bind(0, ADDRESS);
  await once(socket, 'listening');
  const waiting: [Buffer, RemoteInfo][] = [];
  let wake: (() => void) | undefined;
  socket.on('message', (packet, from) => {
    waiting.push([packet, from]);
    wake?.();
  });
  return {
    socket,
    send: (packet, toPort = port) => void socket.send(encodeTftp(packet), toPort, ADDRESS),
    async next() {
      while (waiting.length === 0) await new Promise<void>((resolve) => (wake = resolve));
      const [packet, from] = waiting.shift()!;
      const decoded = decodeTftp(packet);
      if (!decoded.ok) throw new Error(decoded.reason);
      return [decoded.value, from];
    },
  };
}

const request = (filename: string, options: Record<string, string> = {}, op: 'rrq' | 'wrq' = 'rrq') =>
  ({ op, filename, mode: 'octet', options: new Map(Object.entries(options)) }) as const;

async function fetch(client: Client, options: Record<string, string> = {}): Promise<Buffer> {
  client.send(request('file', options));
  const parts: Uint8Array[] = [];
  const size = Number(options['blksize'] ?? 512);
  for (;;) {
    const [packet, from] = await client.next();
    if (packet.op === 'oack') client.send({ op: 'ack', block: 0 }, from.port);
    else if (packet.op === 'data') {
      parts.push(packet.data);
      client.send({ op: 'ack', block: packet.block }, from.port);
      if (packet.data.length < size) return Buffer.concat(parts);
    } else throw new Error(JSON.stringify(packet));
  }
}

async function reported(count: number): Promise<void> {
  while (reports.length < count) await new Promise((resolve) => setImmediate(resolve));
}

describe('TFTP server', () => {
  it('serves a file and reports the transfer', async () => {
    expect((await fetch(await openClient(), { blksize: '1432', tsize: '0' })).equals(FILE)).toBe(true);
    await reported(1);
    expect(reports[0]).toMatchObject({
      client: ADDRESS,
      file: 'file',
      bytes: 40_000,
      blksize: 1432,
      windowsize: 1,
      retransmits: 0,
      outcome: 'done',
    });
  });

  it('serves 200 clients at once', async () => {
    const clients = await Promise.all(Array.from({ length: 200 }, openClient));
    const received = await Promise.all(clients.map((client) => fetch(client, { blksize: '1468' })));
    expect(received.every((data) => data.equals(FILE))).toBe(true);
    await reported(200);
  });

  it('sends text with the line ends of netascii', async () => {
    const client = await openClient();
    client.send({ ...request('text'), mode: 'netascii' });
    const [packet, from] = await client.next();
    expect(packet).toMatchObject({ op: 'data', data: Buffer.from('a\r\n') });
    client.send({ op: 'ack', block: 1 }, from.port);
    await reported(1);
  });

  it.each([
    ['writing', request('file', {}, 'wrq'), 2],
    ['an unknown file', request('nothing'), 1],
    ['mail mode', { ...request('file'), mode: 'mail' }, 4],
  ] as const)('refuses %s', async (_name, packet, code) => {
    const client = await openClient();
    client.send(packet);
    expect((await client.next())[0]).toMatchObject({ op: 'error', code });
    expect(refused).toHaveLength(1);
  });

  it('answers no other network', async () => {
    limits.serves = () => false;
    const [stranger, client] = [await openClient(), await openClient()];
    stranger.send(request('file', { tsize: '0' }));
    await expect.poll(() => refused).toHaveLength(1);
    limits.serves = () => true;
    stranger.send(request('nothing'));
    expect((await stranger.next())[0]).toMatchObject({ op: 'error', message: 'file not found' });
    expect((await fetch(client)).equals(FILE)).toBe(true);
    await reported(1);
  });

  it('gives up a transfer without ACKs for one more of the same address, but none that has begun', async () => {
    limits.perAddress = 2;
    const clients = await Promise.all(Array.from({ length: 4 }, openClient));
    const begin = async (client: Client): Promise<void> => {
      client.send(request('file', { tsize: '0' }));
      const [packet, from] = await client.next();
      expect(packet.op).toBe('oack');
      client.send({ op: 'ack', block: 0 }, from.port);
      expect((await client.next())[0].op).toBe('data');
    };
    clients[0]!.send(request('file', { tsize: '0' }));
    expect((await clients[0]!.next())[0].op).toBe('oack');
    await begin(clients[1]!);
    await begin(clients[2]!);
    clients[3]!.send(request('file', { tsize: '0' }));
    expect((await clients[3]!.next())[0]).toMatchObject({
      op: 'error',
      message: 'too many transfers, try again',
    });
    expect(reports).toMatchObject([{ outcome: 'broken off', bytes: 0 }]);
  });

  it('refuses requests without options, in a text that is not much larger', async () => {
    limits.plainRequests = false;
    const client = await openClient();
    client.send(request('file'));
    const [packet] = await client.next();
    expect(packet).toMatchObject({ op: 'error', code: 8 });
    expect(encodeTftp(packet).length).toBeLessThanOrEqual(3 * encodeTftp(request('file')).length);
    expect((await fetch(client, { blksize: '1468' })).equals(FILE)).toBe(true);
    await reported(1);
  });

  it('ignores packets that are not requests, and continues', async () => {
    const client = await openClient();
    for (const noise of [Buffer.alloc(0), Buffer.from([0, 1, 2]), Buffer.alloc(1400, 0xff)])
      client.socket.send(noise, port, ADDRESS);
    client.send({ op: 'ack', block: 3 });
    client.send({ op: 'data', block: 3, data: Buffer.alloc(3) });
    expect((await fetch(client)).equals(FILE)).toBe(true);
    await reported(1);
  });

  it('ignores packets of other clients in a transfer', async () => {
    const [client, stranger] = await Promise.all([openClient(), openClient()]);
    client.send(request('file'));
    const [first, from] = await client.next();
    expect(first).toMatchObject({ op: 'data', block: 1 });
    stranger.send({ op: 'error', code: 0, message: 'end' }, from.port);
    stranger.send({ op: 'ack', block: 1 }, from.port);
    client.send({ op: 'ack', block: 1 }, from.port);
    expect((await client.next())[0]).toMatchObject({ op: 'data', block: 2 });
    expect(reports).toEqual([]);
  });

  it('starts one transfer for a repeated request', async () => {
    const client = await openClient();
    client.send(request('file'));
    client.send(request('file'));
    const [, from] = await client.next();
    client.send({ op: 'ack', block: 1 }, from.port);
    const [second, again] = await client.next();
    expect([second, again.port]).toMatchObject([{ op: 'data', block: 2 }, from.port]);
  });

  it('distinguishes a request for the size from an interrupted transfer', async () => {
    const client = await openClient();
    for (const until of [0, 1]) {
      client.send(request('file', { tsize: '0' }));
      const [packet, from] = await client.next();
      expect(packet).toMatchObject({ op: 'oack', options: new Map([['tsize', '40000']]) });
      if (until === 1) {
        client.send({ op: 'ack', block: 0 }, from.port);
        await client.next();
      }
      client.send({ op: 'error', code: 0, message: 'enough' }, from.port);
      await reported(until + 1);
    }
    expect(reports.map(({ outcome }) => outcome)).toEqual(['size asked', 'broken off']);
  });

  it('stops while transfers are running', async () => {
    const client = await openClient();
    client.send(request('file'));
    const [, from] = await client.next();
    client.send({ op: 'ack', block: 1 }, from.port);
    expect(await client.next()).toMatchObject([{ op: 'data', block: 2 }, {}]);
    await server.stop();
    expect(reports).toMatchObject([{ outcome: 'broken off', bytes: 512 }]);
    stopped = true;
  });

  it('names the port in use and the likely cause', async () => {
    const second = createTftpServer({
      address: ADDRESS,
      port,
      limits,
      files: { read: async () => undefined },
      onStart: () => undefined,
      onEnd: () => undefined,
      onRefused: () => undefined,
      onError: () => undefined,
    });
    await expect(second.start()).rejects.toThrow(
      `TFTP cannot listen on 127.0.0.1 port ${port}: another program uses this port`,
    );
  });
});
