/**
 * The DHCP sockets.
 *
 * Node cannot bind a socket to a device. Broadcasts are received on 255.255.255.255:67; unicasts
 * (renewals, relays) on our own address, and answers leave by that one, which makes Linux send broadcasts
 * out of the right interface. A client without an address cannot be reached by unicast.
 */
import { createSocket, type Socket } from 'node:dgram';
import { type DhcpMessage, decodeDhcp, encodeDhcp } from '@ingot/shared/codec/dhcp/message.ts';
import { MessageType, messageType } from '@ingot/shared/codec/dhcp/options.ts';
import type { DhcpHandler } from './dhcp-handler.ts';

export interface DhcpServerDeps {
  readonly address: string;
  readonly handle: DhcpHandler;
  /** Also answer on 4011, where PXE firmware asks a ProxyDHCP again. */
  readonly proxy: boolean;
  readonly onError: (error: unknown) => void;
  readonly onBadPacket: (reason: string, from: string) => void;
}

export interface DhcpServer {
  start(): Promise<void>;
  stop(): Promise<void>;
}

const SERVER_PORT = 67;
const CLIENT_PORT = 68;
const PROXY_PORT = 4011;
const BROADCAST = '255.255.255.255';
const NONE = '0.0.0.0';

/** Where a reply goes (RFC 2131 section 4.1). */
export function destination(reply: DhcpMessage): { address: string; port: number } {
  if (reply.giaddr !== NONE) return { address: reply.giaddr, port: SERVER_PORT };
  const isNak = messageType(reply) === MessageType.nak;
  if (!isNak && reply.ciaddr !== NONE) return { address: reply.ciaddr, port: CLIENT_PORT };
  return { address: BROADCAST, port: CLIENT_PORT };
}

export function createDhcpServer(deps: DhcpServerDeps): DhcpServer {
  const sockets: Socket[] = [];
  const working = new Set<Promise<void>>();

  async function receive(
    packet: Buffer,
    from: { address: string; port: number },
    out: Socket,
    isProxyPort: boolean,
  ): Promise<void> {
    const request = decodeDhcp(packet);
    if (!request.ok) return deps.onBadPacket(request.reason, from.address);
    const reply = await deps.handle(request.value);
    if (reply === undefined) return;
    const to = isProxyPort ? from : destination(reply);
    await new Promise<void>((resolve, reject) => {
      out.send(encodeDhcp(reply), to.port, to.address, (error) => (error ? reject(error) : resolve()));
    });
  }

  async function open(address: string, port: number, out?: Socket): Promise<Socket> {
    const socket = createSocket({ type: 'udp4', reuseAddr: true });
    await new Promise<void>((resolve, reject) => {
      socket.once('error', reject);
      socket.bind(port, address, () => {
        socket.off('error', reject);
        resolve();
      });
    });
    socket.setBroadcast(true);
    socket.on('error', deps.onError);
    socket.on('message', (packet, from) => {
      const done = receive(packet, from, out ?? socket, port === PROXY_PORT).catch(deps.onError);
      working.add(done);
      done.finally(() => working.delete(done)).catch(deps.onError);
    });
    sockets.push(socket);
    return socket;
  }

  return {
    async start() {
      const own = await open(deps.address, SERVER_PORT);
      await open(BROADCAST, SERVER_PORT, own);
      if (deps.proxy) await open(deps.address, PROXY_PORT);
    },
    async stop() {
      await Promise.all(
        sockets.splice(0).map((socket) => new Promise<void>((resolve) => socket.close(() => resolve()))),
      );
      await Promise.all(working);
    },
  };
}
