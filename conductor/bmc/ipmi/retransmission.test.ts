import { expect, it } from 'vitest';
import { Deadline } from './deadline.ts';
import { Retransmission } from './retransmission.ts';
import type { UdpPeer } from './udp-peer.ts';

const PACING = { firstTryMs: 100, longestTryMs: 1_000 };

/**
 * A peer whose exchanges take their time on a clock of their own: a number answers after so many ms if that is in time,
 * `closed` and `lost` do not answer. Records how long each try waits.
 */
function start(limitMs = 60_000) {
  let nowMs = 0;
  const now = () => new Date(nowMs);
  const waits: number[] = [];
  let script: (number | 'lost' | 'closed')[] = [];
  const peer = {
    async exchange(_: Buffer, accept: (datagram: Buffer) => unknown, waitMs: number) {
      waits.push(waitMs);
      const next = script.shift() ?? 'lost';
      if (typeof next === 'number' && next <= waitMs) {
        nowMs += next;
        return { kind: 'answer', value: accept(Buffer.from('answer')) };
      }
      nowMs += waitMs;
      return { kind: 'silence', closed: next === 'closed' };
    },
  } as unknown as UdpPeer;
  const retransmission = new Retransmission(PACING, now);
  let sent = 0;
  const ask = (answers: (number | 'lost' | 'closed')[], maxTries?: number) => {
    script = answers;
    waits.length = 0;
    const deadline = new Deadline('test', { now, limitMs, signals: [] });
    const question = {
      datagram: () => {
        sent += 1;
        return Buffer.alloc(0);
      },
      accept: String,
      ...(maxTries === undefined ? {} : { maxTries }),
    };
    return retransmission.ask(peer, question, deadline);
  };
  return { ask, waits, retransmission, sent: () => sent };
}

it('each try waits twice as long as the one before, up to the longest wait', async () => {
  const { ask, waits, sent } = start();
  expect(await ask(['lost', 'lost', 'lost', 'lost', 'lost', 5])).toEqual({ kind: 'answer', value: 'answer' });
  expect(waits).toEqual([100, 200, 400, 800, 1_000, 1_000]);
  expect(sent()).toBe(6);
});

it('gives up after the tries of the question, and says whether the port is closed', async () => {
  const { ask, waits } = start();
  expect(await ask(['closed', 'lost', 'lost'], 3)).toEqual({ kind: 'silence', closed: false });
  expect(waits).toHaveLength(3);
  expect(await ask(['lost', 'closed'], 2)).toEqual({ kind: 'silence', closed: true });
});

it('gives up at the deadline, which cuts the last wait', async () => {
  const { ask, waits } = start(1_000);
  expect(await ask([])).toEqual({ kind: 'silence', closed: false });
  expect(Math.round(waits.reduce((sum, ms) => sum + ms))).toBe(1_000);
});

it('a command has six tries at least, however slow the BMC was before', async () => {
  const { ask, waits } = start(900);
  await ask([]);
  expect(waits).toEqual([100, 150, 150, 150, 150, 150, 50]);
  await ask([]);
  expect(waits).toEqual([150, 150, 150, 150, 150, 150]);
});

it.each<[string, (number | 'lost')[], number]>([
  ['twice the time of an answer to the first try', [80], 160],
  ['no less than the shortest wait', [10], 100],
  ['no more than the longest wait', ['lost', 'lost', 'lost', 'lost', 900], 1_000],
  ['no shorter for an answer to a later try, which may be one to the first', ['lost', 1], 200],
  ['longer for an answer that took several tries', ['lost', 180], 350],
])('the next question waits %s', async (_, answers, next) => {
  const { ask, waits } = start();
  await ask(answers);
  await ask([1]);
  expect(waits).toEqual([next]);
});

it('a reset forgets how slow the BMC was', async () => {
  const { ask, waits, retransmission } = start();
  await ask(['lost', 'lost'], 2);
  retransmission.reset();
  await ask([1]);
  expect(waits).toEqual([100]);
});
