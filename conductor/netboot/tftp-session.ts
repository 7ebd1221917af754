/**
 * One TFTP transfer as a reducer: state and event in, state and packets out. No sockets, no clock.
 *
 * Options: blksize (RFC 2348), timeout and tsize (RFC 2349), windowsize (RFC 7440). Block numbers are not limited here;
 * the wire format has their lower 16 bits. Blocks are sent again only after a timeout. A duplicate ACK has no effect,
 * or every later block would be sent twice (the Sorcerer's Apprentice bug).
 *
 * The source of a request may be forged, so until the first ACK only a few bytes are sent for each that was received
 * (`credit`): the OACK and its repetitions fit. A first block without options, 516 bytes, does not.
 */
import { encodeTftp, TftpError, type TftpPacket } from '@ingot/shared/codec/tftp.ts';

export interface TransferOptions {
  readonly blksize: number;
  readonly windowsize: number;
  readonly timeoutMs: number;
}

export interface Transfer extends TransferOptions {
  readonly data: Buffer;
  /** The agreed options, which the client acknowledges with block 0; undefined without options. */
  readonly oack: ReadonlyMap<string, string> | undefined;
  /** Highest acknowledged block; -1 until the OACK is acknowledged. */
  readonly acked: number;
  /** Highest sent block. */
  readonly sent: number;
  /** Whether an ACK has shown that the client is at its address. */
  readonly proven: boolean;
  /** Bytes that may still be sent before that. */
  readonly credit: number;
  /** Consecutive timeouts. */
  readonly misses: number;
  readonly retransmits: number;
  readonly state: 'running' | 'done' | 'failed';
}

export type TransferEvent =
  | { readonly kind: 'start' }
  | { readonly kind: 'packet'; readonly packet: TftpPacket }
  /** The request has come again, because its answer was lost. */
  | { readonly kind: 'asked again'; readonly credit: number }
  | { readonly kind: 'timeout' };

const MAX_MISSES = 6;
/** Of a client that has sent no ACK: it repeats its request. */
const MAX_UNPROVEN_MISSES = 3;
const DEFAULTS: TransferOptions = { blksize: 512, windowsize: 1, timeoutMs: 1_000 };
/** The most that fits into an Ethernet frame. Larger blocks would be fragmented, which some boot ROMs do not support. */
const MAX_BLKSIZE = 1468;
const MAX_WINDOW = 64;
/** A longer timeout is not accepted, because a client that is gone would keep its transfer for hours. */
const MAX_TIMEOUT_SECONDS = 20;
const MAX_WAIT_MS = 20_000;

/** The transfer for a read request. Unknown options are ignored. `credit`: see above. */
export function openTransfer(data: Buffer, asked: ReadonlyMap<string, string>, credit: number): Transfer {
  const number = (name: string): number | undefined => {
    const value = asked.get(name);
    return value !== undefined && /^\d{1,9}$/.test(value) ? Number(value) : undefined;
  };
  const within = (name: string, least: number, most: number): number | undefined => {
    const value = number(name);
    return value === undefined || value < least ? undefined : Math.min(value, most);
  };
  const blksize = within('blksize', 8, MAX_BLKSIZE);
  const windowsize = within('windowsize', 1, MAX_WINDOW);
  // The server may accept or omit this option but not change it (RFC 2349).
  const wish = number('timeout');
  const timeout = wish !== undefined && wish >= 1 && wish <= MAX_TIMEOUT_SECONDS ? wish : undefined;
  const tsize = asked.has('tsize') ? data.length : undefined;
  const agreed = Object.entries({ blksize, windowsize, timeout, tsize }).filter(
    ([, value]) => value !== undefined,
  );
  const oack = agreed.length > 0 ? new Map(agreed.map(([name, value]) => [name, String(value)])) : undefined;
  const before = oack === undefined ? 0 : -1;
  return {
    data,
    blksize: blksize ?? DEFAULTS.blksize,
    windowsize: windowsize ?? DEFAULTS.windowsize,
    timeoutMs: timeout === undefined ? DEFAULTS.timeoutMs : timeout * 1000,
    oack,
    acked: before,
    sent: before,
    proven: false,
    credit,
    misses: 0,
    retransmits: 0,
    state: 'running',
  };
}

/** The last block is the first one shorter than blksize, so a file of whole blocks ends with an empty block. */
export const lastBlock = ({ data, blksize }: Pick<Transfer, 'data' | 'blksize'>): number =>
  Math.floor(data.length / blksize) + 1;

/** The bytes that the client acknowledged. */
export const receivedBytes = ({
  data,
  blksize,
  acked,
}: Pick<Transfer, 'data' | 'blksize' | 'acked'>): number =>
  Math.min(Math.max(acked, 0) * blksize, data.length);

/** The time until a timeout event. It doubles with each consecutive timeout. */
export const waitMs = ({ timeoutMs, misses }: Pick<Transfer, 'timeoutMs' | 'misses'>): number =>
  Math.min(timeoutMs * 2 ** misses, MAX_WAIT_MS);

/** Whether the client only asked for the options. Firmware does so to learn the size, and fetches the file later. */
export const onlyAsked = ({ state, acked, oack }: Pick<Transfer, 'state' | 'acked' | 'oack'>): boolean =>
  state === 'failed' && oack !== undefined && acked < 0;

export function advance(transfer: Transfer, event: TransferEvent): [Transfer, TftpPacket[]] {
  if (transfer.state !== 'running') return [transfer, []];
  const [next, packets] = react(transfer, event);
  return next.proven ? [next, packets] : withinCredit(next, packets);
}

function react(transfer: Transfer, event: TransferEvent): [Transfer, TftpPacket[]] {
  switch (event.kind) {
    case 'start':
      return sendWindow(transfer);
    case 'timeout':
      return repeat(transfer);
    case 'asked again':
      return [{ ...transfer, credit: transfer.credit + event.credit }, []];
    case 'packet':
      return receive(transfer, event.packet);
  }
}

/** The packets that the credit pays for. */
function withinCredit(transfer: Transfer, packets: readonly TftpPacket[]): [Transfer, TftpPacket[]] {
  if (packets.length === 0) return [transfer, []];
  let { credit } = transfer;
  const paid = packets.filter((packet) => {
    const { length } = encodeTftp(packet);
    if (length > credit) return false;
    credit -= length;
    return true;
  });
  return [{ ...transfer, credit }, paid];
}

/** The bytes of the first answer without options: more than the credit of any usual request. */
export const plainAnswerBytes = ({ data, blksize }: Pick<Transfer, 'data' | 'blksize'>): number =>
  encodeTftp({ op: 'data', block: 1, data: data.subarray(0, blksize) }).length;

function receive(transfer: Transfer, packet: TftpPacket): [Transfer, TftpPacket[]] {
  if (packet.op === 'error') return [{ ...transfer, state: 'failed' }, []];
  if (packet.op !== 'ack')
    return [
      { ...transfer, state: 'failed' },
      [{ op: 'error', code: TftpError.illegal, message: 'expected an ACK' }],
    ];
  const block = unwrap(packet.block, transfer);
  if (block === undefined || block <= transfer.acked) return [transfer, []];
  const acked = { ...transfer, acked: block, proven: true, misses: 0 };
  if (block >= lastBlock(transfer)) return [{ ...acked, state: 'done' }, []];
  // An ACK in the middle of a window means that the blocks after it were lost (RFC 7440 section 4).
  return sendWindow({ ...acked, sent: block });
}

/** The block with this 16-bit number among those sent and not yet acknowledged. */
function unwrap(wire: number, { acked, sent }: Transfer): number | undefined {
  const from = Math.max(acked, 0);
  const block = from + ((wire - (from & 0xffff) + 0x10000) & 0xffff);
  return block <= Math.max(sent, 0) ? block : undefined;
}

function sendWindow(transfer: Transfer): [Transfer, TftpPacket[]] {
  if (transfer.acked < 0 && transfer.oack !== undefined)
    return [{ ...transfer, sent: 0 }, [{ op: 'oack', options: transfer.oack }]];
  const upTo = Math.min(transfer.acked + transfer.windowsize, lastBlock(transfer));
  const packets: TftpPacket[] = [];
  for (let block = transfer.sent + 1; block <= upTo; block += 1) {
    const at = (block - 1) * transfer.blksize;
    packets.push({
      op: 'data',
      block: block & 0xffff,
      data: transfer.data.subarray(at, at + transfer.blksize),
    });
  }
  return [{ ...transfer, sent: upTo }, packets];
}

function repeat(transfer: Transfer): [Transfer, TftpPacket[]] {
  if (transfer.misses >= (transfer.proven ? MAX_MISSES : MAX_UNPROVEN_MISSES))
    return [
      { ...transfer, state: 'failed' },
      [{ op: 'error', code: TftpError.undefined, message: 'timeout' }],
    ];
  const again = { ...transfer, misses: transfer.misses + 1, sent: transfer.acked };
  const [next, packets] = sendWindow(again);
  return [{ ...next, retransmits: transfer.retransmits + packets.length }, packets];
}
