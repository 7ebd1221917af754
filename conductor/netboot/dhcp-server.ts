/**
 * The sockets of the DHCP server.
 *
 * Node cannot bind a socket to an interface. Broadcasts are received on 255.255.255.255:67 and unicasts (renewals,
 * relays) on our own address. Answers are sent from our own address, so that Linux sends broadcasts out of the right
 * interface. A client without an address is answered by broadcast.
 */
import { createSocket, type Socket } from 'node:dgram';
import { type DhcpMessage, decodeDhcp, encodeDhcp } from '@ingot/shared/codec/dhcp/message.ts';
import { MessageType, messageType } from '@ingot/shared/codec/dhcp/options.ts';
import { bindUdp } from './bind-udp.ts';
import { NO_ADDRESS } from './dhcp-answer.ts';
import type { DhcpHandler } from './dhcp-handler.ts';
import type { DhcpPort } from './dhcp-proxy.ts';

export interface DhcpServerDeps {
  readonly address: string;
  readonly handle: DhcpHandler;
  /** Also answer on port 4011, where PXE firmware sends a second request to a ProxyDHCP server. */
  readonly proxy: boolean;
  /** Other ports, for tests without root. */
  readonly ports?: DhcpPorts;
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

export interface DhcpPorts {
  readonly server: number;
  readonly client: number;
  readonly proxy: number;
}

const PORTS: DhcpPorts = { server: 67, client: 68, proxy: 4011 };
const BROADCAST = '255.255.255.255';
/** Messages handled at the same time. Further ones are dropped, since clients repeat them. */
const MAX_IN_PROGRESS = 256;

/** The destination of a reply (RFC 2131 section 4.1). */
export function destination(reply: DhcpMessage, ports = PORTS): Peer {
  if (reply.giaddr !== NO_ADDRESS) return { address: reply.giaddr, port: ports.server };
  const isNak = messageType(reply) === MessageType.nak;
  if (!isNak && reply.ciaddr !== NO_ADDRESS) return { address: reply.ciaddr, port: ports.client };
  return { address: BROADCAST, port: ports.client };
}

export function createDhcpServer(deps: DhcpServerDeps): DhcpServer {
  const { ports = PORTS } = deps;
  const sockets: Socket[] = [];
  const inProgress = new Set<Promise<void>>();

  async function receive(packet: Buffer, from: Peer, out: Socket, port: DhcpPort): Promise<void> {
    const request = decodeDhcp(packet);
    if (!request.ok) return deps.onBadPacket(request.reason, from.address);
    const reply = await deps.handle(request.value, port);
    if (reply === undefined) return;
    const to = port === 'boot server' ? from : destination(reply, ports);
    await new Promise<void>((resolve, reject) => {
      out.send(encodeDhcp(reply), to.port, to.address, (error) => (error ? reject(error) : resolve()));
    });
  }

  async function open(address: string, port: number, out?: Socket): Promise<Socket> {
    // Shared with DHCP servers for other interfaces, which often bind the port for all addresses.
    const socket = createSocket({ type: 'udp4', reuseAddr: true });
    await bindUdp(socket, { service: 'DHCP', address, port });
    sockets.push(socket);
    socket.setBroadcast(true);
    socket.on('error', deps.onError);
    const kind = port === ports.proxy ? 'boot server' : 'dhcp';
    socket.on('message', (packet, from) => {
      if (inProgress.size >= MAX_IN_PROGRESS)
        return deps.onBadPacket(`${MAX_IN_PROGRESS} requests are in progress`, from.address);
      const done = receive(packet, from, out ?? socket, kind)
        .catch(deps.onError)
        .finally(() => inProgress.delete(done));
      inProgress.add(done);
    });
    return socket;
  }

  async function stop(): Promise<void> {
    for (const socket of sockets) socket.removeAllListeners('message');
    await Promise.all(inProgress);
    const closing = sockets.splice(0);
    await Promise.all(closing.map((socket) => new Promise<void>((resolve) => socket.close(() => resolve()))));
  }

  return {
    async start() {
      try {
        const own = await open(deps.address, ports.server);
        await open(BROADCAST, ports.server, own);
        if (deps.proxy) await open(deps.address, ports.proxy);
      } catch (error) {
        await stop();
        throw error;
      }
    },
    stop,
  };
}
