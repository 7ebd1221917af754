import { encodeTftp, type TftpPacket } from '@ingot/shared/codec/tftp.ts';
import { describe, expect, it } from 'vitest';
import { createLossyClient } from '../../test/fakes/netboot/tftp-client.ts';
import { toNetascii } from './netascii.ts';
import { advance, lastBlock, onlyAsked, openTransfer, type Transfer, waitMs } from './tftp-session.ts';

/** Enough for all that a test sends before the first ACK. */
const CREDIT = 10_000;

const bytes = (length: number): Buffer => Buffer.from(Uint8Array.from({ length }, (_, i) => (i * 7) & 0xff));
const asking = (options: Record<string, string>) => new Map(Object.entries(options));
const ack = (block: number) => ({ kind: 'packet', packet: { op: 'ack', block } }) as const;
const blocks = (packets: readonly TftpPacket[]): number[] =>
  packets.flatMap((packet) => (packet.op === 'data' ? [packet.block] : []));

function play(transfer: Transfer, ...events: Parameters<typeof advance>[1][]): [Transfer, TftpPacket[]] {
  return events.reduce<[Transfer, TftpPacket[]]>(([state], event) => advance(state, event), [transfer, []]);
}

describe('TFTP options', () => {
  it.each([
    [{ blksize: '1432' }, { blksize: '1432' }],
    [{ blksize: '65464' }, { blksize: '1468' }],
    [{ blksize: '7' }, undefined],
    [{ blksize: '-1', windowsize: '0', timeout: '0' }, undefined],
    [{ windowsize: '65535' }, { windowsize: '64' }],
    [
      { timeout: '5', tsize: '0' },
      { timeout: '5', tsize: '1000' },
    ],
    [{ timeout: '255' }, undefined],
    [{ multicast: '', tsize: 'x' }, { tsize: '1000' }],
    [{ blksize: '1e3' }, undefined],
  ])('answers %j with %j', (asked, agreed) => {
    const { oack } = openTransfer(bytes(1000), asking(asked as unknown as Record<string, string>), CREDIT);
    expect(oack === undefined ? undefined : Object.fromEntries(oack)).toEqual(agreed);
  });
});

describe('before the first ACK', () => {
  const request = 45;
  const sentTo = (options: Record<string, string>, ...events: Parameters<typeof advance>[1][]): number => {
    let transfer = openTransfer(bytes(9000), asking(options), 3 * request);
    let sent = 0;
    for (const event of [{ kind: 'start' } as const, ...events]) {
      const [next, packets] = advance(transfer, event);
      transfer = next;
      sent += packets.reduce((sum, packet) => sum + encodeTftp(packet).length, 0);
    }
    return sent;
  };
  const timeouts = Array.from({ length: 10 }, () => ({ kind: 'timeout' }) as const);

  it('options are answered four times, in no more than three times the bytes of the request', () => {
    const oack = sentTo({ blksize: '1468', tsize: '0' });
    const all = sentTo({ blksize: '1468', tsize: '0' }, ...timeouts);
    expect([Math.floor(all / oack), all <= 3 * request]).toEqual([4, true]);
  });

  it('a block of 512 bytes is not sent', () =>
    // Only the error that ends it.
    expect(sentTo({}, ...timeouts)).toBe(12));

  it('a repeated request pays for more answers', () => {
    const again = { kind: 'asked again', credit: 3 * request } as const;
    const once = sentTo({ blksize: '1468', tsize: '0' }, ...timeouts.slice(0, 3));
    expect(once).toBeLessThan(
      sentTo({ blksize: '1468', windowsize: '8', timeout: '5', tsize: '0' }, again, ...timeouts),
    );
  });
});

describe('TFTP transfer', () => {
  it('sends block by block without options', () => {
    const [first, packets] = play(openTransfer(bytes(600), new Map(), CREDIT), { kind: 'start' });
    expect(packets).toEqual([{ op: 'data', block: 1, data: bytes(600).subarray(0, 512) }]);
    const [second, more] = play(first, ack(1));
    expect(more).toEqual([{ op: 'data', block: 2, data: bytes(600).subarray(512) }]);
    expect(play(second, ack(2))[0].state).toBe('done');
  });

  it.each([0, 511, 512, 1024])('ends a file of %i bytes with a short block', (length) => {
    const transfer = openTransfer(bytes(length), new Map(), CREDIT);
    expect(lastBlock(transfer)).toBe(Math.floor(length / 512) + 1);
  });

  it('sends no data before its options are acknowledged', () => {
    const [opened, packets] = play(openTransfer(bytes(9000), asking({ windowsize: '4' }), CREDIT), {
      kind: 'start',
    });
    expect(packets).toEqual([{ op: 'oack', options: asking({ windowsize: '4' }) }]);
    expect(blocks(play(opened, ack(0))[1])).toEqual([1, 2, 3, 4]);
  });

  it('recognizes a client that only wants the size', () => {
    const error = { kind: 'packet', packet: { op: 'error', code: 8, message: 'got it' } } as const;
    const asked = openTransfer(bytes(9), asking({ tsize: '0' }), CREDIT);
    expect(onlyAsked(play(asked, { kind: 'start' }, error)[0])).toBe(true);
    expect(onlyAsked(play(asked, { kind: 'start' }, ack(0), error)[0])).toBe(false);
  });

  it('repeats nothing for a repeated ACK (the Sorcerer’s Apprentice)', () => {
    const [state, packets] = play(openTransfer(bytes(5000), new Map(), CREDIT), { kind: 'start' }, ack(1));
    expect(blocks(packets)).toEqual([2]);
    expect(play(state, ack(1), ack(1))[1]).toEqual([]);
    expect(play(state, ack(1), ack(1))[0]).toEqual(state);
  });

  it('ignores ACKs of blocks that were not sent', () => {
    const [state] = play(openTransfer(bytes(5000), new Map(), CREDIT), { kind: 'start' });
    expect(play(state, ack(9))[0]).toEqual(state);
    expect(play(state, ack(65535))[0]).toEqual(state);
  });

  it('continues after the last block that a client has acknowledged inside a window', () => {
    const opened = play(
      openTransfer(bytes(90_000), asking({ windowsize: '8' }), CREDIT),
      { kind: 'start' },
      ack(0),
    )[0];
    expect(blocks(play(opened, ack(3))[1])).toEqual([4, 5, 6, 7, 8, 9, 10, 11]);
  });

  it('counts beyond 65,535 blocks', () => {
    let transfer = openTransfer(Buffer.alloc(8 * 70_000), asking({ blksize: '8', windowsize: '64' }), CREDIT);
    let sent: number[] = [];
    [transfer] = play(transfer, { kind: 'start' });
    let wire = 0;
    while (transfer.state === 'running') {
      let packets: TftpPacket[];
      [transfer, packets] = advance(transfer, ack(wire));
      sent = blocks(packets);
      wire = sent.at(-1) ?? wire;
    }
    expect([transfer.state, transfer.acked]).toEqual(['done', 70_001]);
    expect(wire).toBe(70_001 & 0xffff);
  });

  it('repeats the window after a timeout, waits longer each time, and gives up', () => {
    let [state] = play(
      openTransfer(bytes(9000), asking({ windowsize: '2' }), CREDIT),
      { kind: 'start' },
      ack(0),
    );
    const waits: number[] = [];
    for (let round = 0; state.state === 'running'; round += 1) {
      waits.push(waitMs(state));
      const [next, packets] = advance(state, { kind: 'timeout' });
      if (next.state === 'running') expect(blocks(packets)).toEqual([1, 2]);
      else expect(packets).toEqual([{ op: 'error', code: 0, message: 'timeout' }]);
      state = next;
      expect(round).toBeLessThan(10);
    }
    expect(waits).toEqual([1000, 2000, 4000, 8000, 16_000, 20_000, 20_000]);
  });

  it('ends soon without a client, whatever timeout it requested', () => {
    const { timeoutMs } = openTransfer(bytes(1), asking({ timeout: '20' }), CREDIT);
    const total = [0, 1, 2, 3, 4, 5, 6].reduce((sum, misses) => sum + waitMs({ timeoutMs, misses }), 0);
    expect(total).toBeLessThanOrEqual(140_000);
  });

  it.each(['rrq', 'data', 'oack'] as const)('aborts when it gets %s', (op) => {
    const odd = {
      rrq: { op, filename: 'x', mode: 'octet', options: new Map() },
      data: { op, block: 1, data: bytes(1) },
      oack: { op, options: new Map() },
    }[op];
    const [state, packets] = play(
      openTransfer(bytes(9000), new Map(), CREDIT),
      { kind: 'start' },
      { kind: 'packet', packet: odd as TftpPacket },
    );
    expect([state.state, packets[0]?.op]).toEqual(['failed', 'error']);
  });

  const seeds = Array.from({ length: 15 }, (_, i) => i + 1);
  it.each(seeds)('arrives complete at window 16 with 3 %% lost both ways, seed %i', (seed) => {
    const file = bytes(256 * 1024);
    const client = createLossyClient({ seed, loss: 0.03, options: { blksize: '1468', windowsize: '16' } });
    const result = client.fetch(file, 10_000);
    expect(result.received.equals(file)).toBe(true);
    expect(result.elapsedMs).toBeLessThan(10_000);
  });

  it.each(seeds.slice(0, 5))('arrives complete in lockstep with 5 %% lost both ways, seed %i', (seed) => {
    const file = bytes(64 * 1024);
    const client = createLossyClient({ seed, loss: 0.05, options: { blksize: '1468' } });
    expect(client.fetch(file, 60_000).received.equals(file)).toBe(true);
  });
});

it('netascii ends lines with CR LF', () => {
  expect(toNetascii(Buffer.from('a\nb\rc\r\n')).toString('latin1')).toBe('a\r\nb\r\0c\r\0\r\n');
});
