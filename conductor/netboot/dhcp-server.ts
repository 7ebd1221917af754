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
import { NO_ADDRESS } from './dhcp-answer.ts';
import type { DhcpHandler, DhcpPort } from './dhcp-handler.ts';
import { listening } from './listening.ts';

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

interface Peer {
  readonly address: string;
  readonly port: number;
}

const SERVER_PORT = 67;
const CLIENT_PORT = 68;
const PROXY_PORT = 4011;
const BROADCAST = '255.255.255.255';
/** Messages at work; those above it are passed over, as clients ask again. */
const MAX_AT_WORK = 256;

/** Where a reply goes (RFC 2131 section 4.1). */
export function destination(reply: DhcpMessage): Peer {
  if (reply.giaddr !== NO_ADDRESS) return { address: reply.giaddr, port: SERVER_PORT };
  const isNak = messageType(reply) === MessageType.nak;
  if (!isNak && reply.ciaddr !== NO_ADDRESS) return { address: reply.ciaddr, port: CLIENT_PORT };
  return { address: BROADCAST, port: CLIENT_PORT };
}

export function createDhcpServer(deps: DhcpServerDeps): DhcpServer {
  const sockets: Socket[] = [];
  const atWork = new Set<Promise<void>>();

  async function receive(packet: Buffer, from: Peer, out: Socket, port: DhcpPort): Promise<void> {
    const request = decodeDhcp(packet);
    if (!request.ok) return deps.onBadPacket(request.reason, from.address);
    const reply = await deps.handle(request.value, port);
    if (reply === undefined) return;
    const to = port === 'boot server' ? from : destination(reply);
    await new Promise<void>((resolve, reject) => {
      out.send(encodeDhcp(reply), to.port, to.address, (error) => (error ? reject(error) : resolve()));
    });
  }

  async function open(address: string, port: number, out?: Socket): Promise<Socket> {
    // Shared with DHCP servers of other interfaces, which mostly hold the port for all addresses.
    const socket = createSocket({ type: 'udp4', reuseAddr: true });
    await listening(socket, { service: 'DHCP', address, port });
    sockets.push(socket);
    socket.setBroadcast(true);
    socket.on('error', deps.onError);
    const kind = port === PROXY_PORT ? 'boot server' : 'dhcp';
    socket.on('message', (packet, from) => {
      if (atWork.size >= MAX_AT_WORK) return;
      const done = receive(packet, from, out ?? socket, kind)
        .catch(deps.onError)
        .finally(() => atWork.delete(done));
      atWork.add(done);
    });
    return socket;
  }

  async function stop(): Promise<void> {
    for (const socket of sockets) socket.removeAllListeners('message');
    await Promise.all(atWork);
    const closing = sockets.splice(0);
    await Promise.all(closing.map((socket) => new Promise<void>((resolve) => socket.close(() => resolve()))));
  }

  return {
    async start() {
      try {
        const own = await open(deps.address, SERVER_PORT);
        await open(BROADCAST, SERVER_PORT, own);
        if (deps.proxy) await open(deps.address, PROXY_PORT);
      } catch (error) {
        await stop();
        throw error;
      }
    },
    stop,
  };
}
