/**
 * The read-only TFTP server: one listening socket, and one connected socket per transfer. On a connected socket the
 * kernel drops packets from other addresses, so a spoofed source cannot disturb a transfer.
 */
import { createSocket, type RemoteInfo } from 'node:dgram';
import { decodeTftp, encodeTftp, TftpError } from '@ingot/shared/codec/tftp.ts';
import { bindUdp } from './bind-udp.ts';
import { toNetascii } from './netascii.ts';
import type { TftpFiles } from './tftp-files.ts';
import { createTftpRoom, type RunningTransfer } from './tftp-room.ts';
import { openTransfer, plainAnswerBytes, type Transfer } from './tftp-session.ts';
import { runTransfer, type TransferReport } from './tftp-transfer.ts';

export interface TftpLimits {
  /** Whether requests from this address are answered. */
  readonly serves: (address: string) => boolean;
  /** Transfers of one address at the same time. */
  readonly perAddress: number;
  /** Whether requests without options are served, whose first answer is much larger than they are. */
  readonly plainRequests: boolean;
}

export interface TftpServerDeps {
  readonly address: string;
  readonly port: number;
  readonly limits: TftpLimits;
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

/** Bytes that are sent for each byte of a request, until the client has shown by an ACK that it is at its address. */
const CREDIT = 3;
const ERROR_OVERHEAD_BYTES = 5;
const NEEDS_OPTIONS = 'a request without blksize or tsize; tftp.plain_requests serves it';

export function createTftpServer(deps: TftpServerDeps): TftpServer {
  const listener = createSocket('udp4');
  const transfers = createTftpRoom(deps.limits);

  async function receive(packet: Buffer, from: RemoteInfo): Promise<void> {
    // Port 0 means no port (RFC 768). It cannot be answered, and Node's send would throw.
    if (from.port === 0) return deps.onRefused(from.address, 'a request from no port');
    if (!deps.limits.serves(from.address))
      return deps.onRefused(from.address, 'it is on none of the networks that TFTP serves (tftp.networks)');
    const key = `${from.address}:${from.port}`;
    const credit = CREDIT * packet.length;
    const request = decodeTftp(packet);
    if (!request.ok) return deps.onRefused(from.address, request.reason);
    const { value } = request;
    const refuse = (code: number, message: string) => sendError(from, code, message, credit);
    const running = transfers.get(key);
    if (running !== undefined) return value.op === 'rrq' ? running.askedAgain(credit) : undefined;
    if (value.op === 'wrq') return refuse(TftpError.accessViolation, 'this server is read-only');
    if (value.op !== 'rrq') return;
    if (value.mode !== 'octet' && value.mode !== 'netascii')
      return refuse(TftpError.illegal, `mode ${value.mode} is not supported`);
    if (!transfers.make(from.address)) return refuse(TftpError.undefined, 'too many transfers, try again');
    const reading = whileReading(from.address);
    transfers.set(key, reading);
    const data = await deps.files.read(value.filename, from.address).catch(deps.onError);
    // It may have been given up in the meantime.
    if (!transfers.delete(key, reading)) return;
    if (data === undefined) return refuse(TftpError.notFound, 'file not found');
    const form = value.mode === 'netascii' ? toNetascii(data) : data;
    const run = (first: Transfer) =>
      runTransfer(first, { ...deps, transfers, key, client: from, file: value.filename });
    const transfer = openTransfer(form, value.options, credit);
    if (transfer.oack !== undefined || plainAnswerBytes(transfer) <= credit) return run(transfer);
    if (!deps.limits.plainRequests) return refuse(TftpError.refusedOptions, NEEDS_OPTIONS);
    run({ ...transfer, credit: plainAnswerBytes(transfer) });
  }

  function sendError(to: RemoteInfo, code: number, text: string, credit: number): void {
    deps.onRefused(to.address, text);
    const message = text.slice(0, Math.max(0, credit - ERROR_OVERHEAD_BYTES));
    listener.send(encodeTftp({ op: 'error', code, message }), to.port, to.address);
  }

  return {
    async start() {
      await bindUdp(listener, { service: 'TFTP', address: deps.address, port: deps.port });
      listener.on('error', deps.onError);
      listener.on('message', (packet, from) => void receive(packet, from).catch(deps.onError));
    },
    async stop() {
      transfers.endAll();
      await new Promise<void>((resolve) => listener.close(() => resolve()));
    },
  };
}

const whileReading = (address: string): RunningTransfer => ({
  address,
  isProven: () => false,
  askedAgain: () => undefined,
  end: () => undefined,
});
