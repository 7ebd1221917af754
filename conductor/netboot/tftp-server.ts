/**
 * The read-only TFTP server: one listening socket, and one connected socket per transfer. On a connected socket the
 * kernel drops packets from other addresses, so a spoofed source cannot disturb a transfer.
 */
import { createSocket, type RemoteInfo, type Socket } from 'node:dgram';
import { decodeTftp, encodeTftp, TftpError, type TftpPacket } from '@ingot/shared/codec/tftp.ts';
import { bindUdp } from './bind-udp.ts';
import { toNetascii } from './netascii.ts';
import type { TftpFiles } from './tftp-files.ts';
import {
  advance,
  onlyAsked,
  openTransfer,
  receivedBytes,
  type Transfer,
  type TransferEvent,
  waitMs,
} from './tftp-session.ts';

export interface TransferReport {
  readonly client: string;
  readonly file: string;
  /** Bytes that the client acknowledged. */
  readonly bytes: number;
  readonly blksize: number;
  readonly windowsize: number;
  readonly seconds: number;
  readonly retransmits: number;
  readonly outcome: 'done' | 'size asked' | 'broken off';
}

export interface TftpServerDeps {
  readonly address: string;
  readonly port: number;
  readonly files: TftpFiles;
  readonly onStart: (client: string, file: string) => void;
  readonly onEnd: (report: TransferReport) => void;
  readonly onRefused: (client: string, reason: string) => void;
  readonly onError: (error: unknown) => void;
}

export interface TftpServer {
  start(): Promise<void>;
  stop(): Promise<void>;
}

const MAX_TRANSFERS = 1_000;

export function createTftpServer(deps: TftpServerDeps): TftpServer {
  const listener = createSocket('udp4');
  const transfers = new Map<string, () => void>();

  async function receive(packet: Buffer, from: RemoteInfo): Promise<void> {
    // Port 0 means no port (RFC 768). It cannot be answered, and Node's send would throw.
    if (from.port === 0) return deps.onRefused(from.address, 'a request from no port');
    const key = `${from.address}:${from.port}`;
    const request = decodeTftp(packet);
    if (!request.ok) return deps.onRefused(from.address, request.reason);
    const { value } = request;
    // The request was repeated because its answer got lost. The transfer sends that again by itself.
    if (transfers.has(key)) return;
    if (value.op === 'wrq') return refuse(from, TftpError.accessViolation, 'this server is read-only');
    if (value.op !== 'rrq') return;
    if (value.mode !== 'octet' && value.mode !== 'netascii')
      return refuse(from, TftpError.illegal, `mode ${value.mode} is not supported`);
    if (transfers.size >= MAX_TRANSFERS)
      return refuse(from, TftpError.undefined, 'too many transfers, try again');
    transfers.set(key, () => undefined);
    const data = await deps.files.read(value.filename, from.address).catch(deps.onError);
    // stop() may have been called in the meantime.
    if (!transfers.delete(key)) return;
    if (data === undefined) return refuse(from, TftpError.notFound, 'file not found');
    const form = value.mode === 'netascii' ? toNetascii(data) : data;
    run(key, from, value.filename, openTransfer(form, value.options));
  }

  function refuse(to: RemoteInfo, code: number, message: string): void {
    deps.onRefused(to.address, message);
    listener.send(encodeTftp({ op: 'error', code, message }), to.port, to.address);
  }

  /** Runs one transfer until its reducer reports the end. */
  function run(key: string, client: RemoteInfo, file: string, first: Transfer): void {
    const began = performance.now();
    const socket = createSocket('udp4');
    let transfer = first;
    let timer: NodeJS.Timeout | undefined;
    let ended = false;

    const end = (): void => {
      if (ended) return;
      ended = true;
      clearTimeout(timer);
      transfers.delete(key);
      socket.close();
      const { blksize, windowsize, retransmits, state } = transfer;
      const failed = onlyAsked(transfer) ? 'size asked' : 'broken off';
      const seconds = (performance.now() - began) / 1000;
      deps.onEnd({
        client: client.address,
        file,
        bytes: receivedBytes(transfer),
        blksize,
        windowsize,
        seconds,
        retransmits,
        outcome: state === 'done' ? 'done' : failed,
      });
    };

    const step = (event: TransferEvent): void => {
      if (ended) return;
      const before = transfer;
      const [next, packets] = advance(transfer, event);
      transfer = next;
      send(socket, packets);
      if (transfer.state !== 'running') return void setImmediate(end);
      // An event without effect does not restart the timer, or duplicates could postpone the timeout for ever.
      if (transfer === before) return;
      clearTimeout(timer);
      timer = setTimeout(() => step({ kind: 'timeout' }), waitMs(transfer));
    };

    transfers.set(key, end);
    socket.on('error', () => end());
    socket.on('message', (packet) => {
      const decoded = decodeTftp(packet);
      if (decoded.ok) step({ kind: 'packet', packet: decoded.value });
    });
    // The event is emitted on success only. The callback of connect() is also called for an error, such as an unreachable
    // client.
    socket.once('connect', () => {
      deps.onStart(client.address, file);
      step({ kind: 'start' });
    });
    socket.bind(0, deps.address, () => socket.connect(client.port, client.address));
  }

  return {
    async start() {
      await bindUdp(listener, { service: 'TFTP', address: deps.address, port: deps.port });
      listener.on('error', deps.onError);
      listener.on('message', (packet, from) => void receive(packet, from).catch(deps.onError));
    },
    async stop() {
      for (const end of [...transfers.values()]) end();
      transfers.clear();
      await new Promise<void>((resolve) => listener.close(() => resolve()));
    },
  };
}

function send(socket: Socket, packets: readonly TftpPacket[]): void {
  // Errors are ignored: if the client is gone, the transfer times out.
  for (const packet of packets) socket.send(encodeTftp(packet), () => undefined);
}
