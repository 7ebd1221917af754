/**
 * The socket of one TFTP transfer. It is connected, so the kernel drops packets from other addresses and a spoofed
 * source can not disturb it.
 */
import { createSocket, type RemoteInfo, type Socket } from 'node:dgram';
import { decodeTftp, encodeTftp, type TftpPacket } from '@ingot/shared/codec/tftp.ts';
import type { RunningTransfer, TftpRoom } from './tftp-room.ts';
import {
  advance,
  onlyAsked,
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

export interface TransferUse {
  /** Our own. */
  readonly address: string;
  readonly transfers: TftpRoom;
  readonly key: string;
  readonly client: RemoteInfo;
  readonly file: string;
  readonly onStart: (client: string, file: string) => void;
  readonly onEnd: (report: TransferReport) => void;
}

/** Runs one transfer until its reducer reports the end. */
export function runTransfer(first: Transfer, use: TransferUse): void {
  const { transfers, key, client, file } = use;
  const began = performance.now();
  const socket = createSocket('udp4');
  let transfer = first;
  let timer: NodeJS.Timeout | undefined;
  let ended = false;

  const end = (): void => {
    if (ended) return;
    ended = true;
    clearTimeout(timer);
    transfers.delete(key, running);
    socket.close();
    const { blksize, windowsize, retransmits, state } = transfer;
    const failed = onlyAsked(transfer) ? 'size asked' : 'broken off';
    const seconds = (performance.now() - began) / 1000;
    use.onEnd({
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

  const running: RunningTransfer = {
    address: client.address,
    isProven: () => transfer.proven,
    // Its answer was lost or is on its way; the timer sends it again.
    askedAgain: (credit) => {
      const more = first.oack === undefined ? first.credit : credit;
      [transfer] = advance(transfer, { kind: 'asked again', credit: more });
    },
    end,
  };
  transfers.set(key, running);
  socket.on('error', () => end());
  socket.on('message', (packet) => {
    const decoded = decodeTftp(packet);
    if (decoded.ok) step({ kind: 'packet', packet: decoded.value });
  });
  // The event is emitted on success only. The callback of connect() is also called for an error, such as an unreachable
  // client.
  socket.once('connect', () => {
    use.onStart(client.address, file);
    step({ kind: 'start' });
  });
  socket.bind(0, use.address, () => socket.connect(client.port, client.address));
}

function send(socket: Socket, packets: readonly TftpPacket[]): void {
  // Errors are ignored: if the client is gone, the transfer times out.
  for (const packet of packets) socket.send(encodeTftp(packet), () => undefined);
}
