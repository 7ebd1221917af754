/**
 * A TFTP client (RFC 1350, 7440) that calls the transfer reducer directly. A seeded share of packets is lost in each
 * direction, and time is a number, so minutes of retries take milliseconds.
 */
import { advance, openTransfer, type TransferEvent, waitMs } from '@ingot/conductor/netboot/tftp-session.ts';
import type { TftpPacket } from '@ingot/shared/codec/tftp.ts';

export interface LossyClientOptions {
  readonly seed: number;
  /** Share of packets lost, 0 to 1. */
  readonly loss: number;
  readonly options: Readonly<Record<string, string>>;
}

/** Of a usual request. */
const CREDIT = 120;
const FLIGHT_MS = 1;
/** Time without a packet after which the client repeats its last ACK. */
const CLIENT_WAIT_MS = 1_500;

interface Flying {
  readonly at: number;
  readonly event: 'to client' | 'to server';
  readonly packet: TftpPacket;
}

export function createLossyClient({ seed, loss, options }: LossyClientOptions) {
  const random = mulberry32(seed);
  const blksize = Number(options['blksize'] ?? 512);
  const windowsize = Number(options['windowsize'] ?? 1);

  /** Throws if the server gives up or `limitMs` of simulated time is over. */
  function fetch(file: Buffer, limitMs: number): { received: Buffer; elapsedMs: number } {
    let server = openTransfer(file, new Map(Object.entries(options)), CREDIT);
    let clock = 0;
    let serverDeadline = 0;
    let clientDeadline = CLIENT_WAIT_MS;
    let expected = 1;
    let inWindow = 0;
    let gapReported = false;
    let flying: Flying[] = [];
    const parts: Buffer[] = [];
    let isWhole = false;

    const launch = (event: Flying['event'], packet: TftpPacket): void => {
      if (random() >= loss) flying.push({ at: clock + FLIGHT_MS, event, packet });
    };
    const tell = (event: TransferEvent): void => {
      const before = server;
      const [next, packets] = advance(server, event);
      server = next;
      for (const packet of packets) launch('to client', packet);
      if (server !== before) serverDeadline = clock + waitMs(server);
    };
    const acknowledge = (): void => {
      inWindow = 0;
      clientDeadline = clock + CLIENT_WAIT_MS;
      launch('to server', { op: 'ack', block: (expected - 1) & 0xffff });
    };
    const take = (packet: TftpPacket): void => {
      if (packet.op === 'oack' && expected === 1) acknowledge();
      if (packet.op !== 'data') return;
      if (packet.block !== (expected & 0xffff)) {
        // Once per gap, as in RFC 7440.
        if (!gapReported || inWindow > 0) acknowledge();
        gapReported = true;
        return;
      }
      gapReported = false;
      parts.push(Buffer.from(packet.data));
      expected += 1;
      inWindow += 1;
      isWhole = packet.data.length < blksize;
      if (isWhole || inWindow >= windowsize) acknowledge();
    };

    tell({ kind: 'start' });
    while (!isWhole) {
      const next = flying.reduce<Flying | undefined>(
        (a, b) => (a !== undefined && a.at <= b.at ? a : b),
        undefined,
      );
      clock = Math.min(next?.at ?? Number.POSITIVE_INFINITY, serverDeadline, clientDeadline);
      if (clock > limitMs) throw new Error(`not whole after ${limitMs} ms: block ${expected}`);
      if (server.state === 'failed') throw new Error(`the server gave up at block ${expected}`);
      if (next !== undefined && next.at === clock) {
        flying = flying.filter((one) => one !== next);
        if (next.event === 'to client') take(next.packet);
        else tell({ kind: 'packet', packet: next.packet });
      } else if (serverDeadline === clock) tell({ kind: 'timeout' });
      else acknowledge();
    }
    return { received: Buffer.concat(parts), elapsedMs: clock };
  }

  return { fetch };
}

/** A small seeded random generator, 0 to 1. */
function mulberry32(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
}
