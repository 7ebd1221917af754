/** The sockets of the DHCP server, on loopback and on ports that need no root. */
import { createSocket, Socket } from 'node:dgram';
import { once } from 'node:events';
import { type DhcpMessage, decodeDhcp, encodeDhcp } from '@ingot/shared/codec/dhcp/message.ts';
import { MessageType } from '@ingot/shared/codec/dhcp/options.ts';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { dhcpRequest } from '../../test/fakes/netboot/dhcp-client.ts';
import type { DhcpHandler } from './dhcp-handler.ts';
import type { DhcpPort } from './dhcp-proxy.ts';
import { createDhcpServer, type DhcpPorts, type DhcpServer, destination } from './dhcp-server.ts';

const ADDRESS = '127.0.0.1';
const CLIENT = '127.0.0.2';

let opened: Socket[];
let servers: DhcpServer[];
let bad: string[];
let errors: unknown[];
let arrived: DhcpPort[];

async function bound(address = ADDRESS, port = 0): Promise<Socket> {
  const socket = createSocket('udp4');
  socket.bind(port, address);
  await once(socket, 'listening');
  opened.push(socket);
  return socket;
}

async function freePorts(): Promise<DhcpPorts> {
  const [server, client, proxy] = await Promise.all([bound(), bound(CLIENT), bound()]);
  const ports = { server: server.address().port, client: client.address().port, proxy: proxy.address().port };
  for (const socket of opened.splice(0)) socket.close();
  return ports;
}

/** An ACK to a client that has an address already. */
const acknowledge = async (request: DhcpMessage): Promise<DhcpMessage> => ({
  ...request,
  op: 2,
  ciaddr: CLIENT,
  options: new Map([[53, Buffer.from([MessageType.ack])]]),
});

async function start(handle: DhcpHandler, ports: DhcpPorts, proxy = false): Promise<DhcpServer> {
  const server = createDhcpServer({
    address: ADDRESS,
    ports,
    proxy,
    handle: (request, port) => {
      arrived.push(port);
      return handle(request, port);
    },
    onError: (error) => errors.push(error),
    onBadPacket: (reason) => bad.push(reason),
  });
  servers.push(server);
  await server.start();
  return server;
}

const packet = encodeDhcp(dhcpRequest('request', { mac: '52:54:00:00:00:0a', ciaddr: CLIENT }));

async function answerTo(socket: Socket): Promise<DhcpMessage> {
  const [data] = (await once(socket, 'message')) as [Buffer];
  const decoded = decodeDhcp(data);
  if (!decoded.ok) throw new Error(decoded.reason);
  return decoded.value;
}

beforeEach(() => {
  [opened, servers, bad, errors, arrived] = [[], [], [], [], []];
});
afterEach(async () => {
  await Promise.all(servers.map((server) => server.stop()));
  for (const socket of opened) socket.close();
  expect(errors).toEqual([]);
});

describe('DHCP server', () => {
  it('answers a renewal at the address and the port of the client', async () => {
    const ports = await freePorts();
    await start(acknowledge, ports);
    const client = await bound(CLIENT, ports.client);
    client.send(packet, ports.server, ADDRESS);
    expect((await answerTo(client)).op).toBe(2);
    expect(arrived).toEqual(['dhcp']);
  });

  it('may send to everybody on every socket', async () => {
    const setBroadcast = vi.spyOn(Socket.prototype, 'setBroadcast');
    await start(acknowledge, await freePorts(), true);
    expect(setBroadcast.mock.calls).toEqual([[true], [true], [true]]);
    setBroadcast.mockRestore();
  });

  it('answers the sender on the boot server port, which it opens for a ProxyDHCP only', async () => {
    const ports = await freePorts();
    const plain = await start(acknowledge, ports);
    // The port is free.
    (await bound(ADDRESS, ports.proxy)).close();
    opened.pop();
    await plain.stop();
    await start(acknowledge, ports, true);
    const firmware = await bound();
    firmware.send(packet, ports.proxy, ADDRESS);
    await answerTo(firmware);
    expect(arrived).toEqual(['boot server']);
  });

  it('reports a packet that is not DHCP, does not answer it, and continues', async () => {
    const ports = await freePorts();
    await start(acknowledge, ports);
    const client = await bound(CLIENT, ports.client);
    client.send('hello', ports.server, ADDRESS);
    client.send(packet, ports.server, ADDRESS);
    await answerTo(client);
    expect(bad).toHaveLength(1);
    expect(arrived).toEqual(['dhcp']);
  });

  it('reports a failure of the handler and continues', async () => {
    const ports = await freePorts();
    let calls = 0;
    await start(async (request) => {
      calls += 1;
      if (calls === 1) throw new Error('the store is gone');
      return acknowledge(request);
    }, ports);
    const client = await bound(CLIENT, ports.client);
    client.send(packet, ports.server, ADDRESS);
    client.send(packet, ports.server, ADDRESS);
    await answerTo(client);
    expect(errors.splice(0)).toEqual([new Error('the store is gone')]);
  });

  it('waits at the end for the requests in progress', async () => {
    const ports = await freePorts();
    const gate = Promise.withResolvers<void>();
    const server = await start(async (request) => {
      await gate.promise;
      return acknowledge(request);
    }, ports);
    const client = await bound(CLIENT, ports.client);
    client.send(packet, ports.server, ADDRESS);
    await expect.poll(() => arrived.length).toBe(1);
    let stopped = false;
    const stopping = server.stop().then(() => {
      stopped = true;
    });
    // New requests are not handled any more.
    client.send(packet, ports.server, ADDRESS);
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect([stopped, arrived.length]).toEqual([false, 1]);
    const answered = answerTo(client);
    gate.resolve();
    await Promise.all([answered, stopping]);
  });

  it('drops requests when too many are in progress, and reports it', async () => {
    const ports = await freePorts();
    const gate = Promise.withResolvers<undefined>();
    await start(() => gate.promise, ports);
    const client = await bound(CLIENT, ports.client);
    const sendMany = async (count: number): Promise<void> => {
      const before = arrived.length + bad.length;
      for (let n = 0; n < count; n += 1) client.send(packet, ports.server, ADDRESS);
      await expect.poll(() => arrived.length + bad.length, { timeout: 10_000 }).toBe(before + count);
    };
    // Few enough at a time for the buffer of the socket.
    for (let n = 0; n < 10; n += 1) await sendMany(30);
    expect(arrived.length).toBe(256);
    expect(new Set(bad)).toEqual(new Set(['256 requests are in progress']));
    gate.resolve(undefined);
    await sendMany(1);
    expect(arrived.length).toBe(257);
  });

  it('leaves no socket open when a port cannot be opened', async () => {
    const ports = await freePorts();
    await bound(ADDRESS, ports.proxy);
    await expect(start(acknowledge, ports, true)).rejects.toThrow(
      `DHCP cannot listen on 127.0.0.1 port ${ports.proxy}`,
    );
    await bound(ADDRESS, ports.server);
  });
});

describe('the destination of a reply', () => {
  const ack = {
    ...dhcpRequest('request', { mac: '52:54:00:00:00:0a' }),
    options: new Map([[53, Buffer.from([5])]]),
  };
  const nak = { ...ack, options: new Map([[53, Buffer.from([6])]]) };

  it('is the relay, else the address of the client, else broadcast; a refusal is broadcast', () => {
    expect(destination({ ...ack, giaddr: '10.1.0.250', ciaddr: '10.1.0.9' })).toEqual({
      address: '10.1.0.250',
      port: 67,
    });
    expect(destination({ ...ack, ciaddr: '10.1.0.9' })).toEqual({ address: '10.1.0.9', port: 68 });
    expect(destination(ack)).toEqual({ address: '255.255.255.255', port: 68 });
    expect(destination({ ...nak, ciaddr: '10.1.0.9' })).toEqual({ address: '255.255.255.255', port: 68 });
    expect(destination({ ...nak, giaddr: '10.1.0.250' })).toEqual({ address: '10.1.0.250', port: 67 });
  });
});
