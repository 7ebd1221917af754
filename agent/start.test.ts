import { expect, it } from 'vitest';
import { createLog } from './log.ts';
import { runStages } from './start.ts';

const log = () => {
  const lines: string[] = [];
  return { lines, log: createLog((line) => lines.push(line)) };
};
const never = new AbortController().signal;

it('runs the stages in order, each named in the log, with one state', async () => {
  const { lines, log: to } = log();
  const state: string[] = [];
  const stage = (name: string) => ({ name, limitMs: 1_000, run: async (s: string[]) => void s.push(name) });
  await runStages([stage('first'), stage('second')], state, to, never);
  expect(state).toEqual(['first', 'second']);
  expect(lines.map((line) => line.trim().split(' ').at(-1))).toEqual(['first', 'second']);
});

it('ends with the name of a failed stage, and runs none after it', async () => {
  const ran: string[] = [];
  const failing = {
    name: 'looking',
    limitMs: 1_000,
    run: async () => {
      throw new Error('nothing there');
    },
  };
  const after = { name: 'after', limitMs: 1_000, run: async () => void ran.push('after') };
  await expect(runStages([failing, after], {}, log().log, never)).rejects.toThrow(
    /^"looking" did not succeed: nothing there$/,
  );
  expect(ran).toEqual([]);
});

it('ends a stage at its time limit, and when the signal of the caller aborts', async () => {
  const waiting = (limitMs: number) => ({
    name: 'waiting',
    limitMs,
    run: (_state: object, signal: AbortSignal) =>
      new Promise<void>((_, reject) =>
        signal.addEventListener('abort', () => reject(new Error('it was ended')), { once: true }),
      ),
  });
  await expect(runStages([waiting(20)], {}, log().log, never)).rejects.toThrow(
    '"waiting" did not succeed within 0.02 s: it was ended',
  );
  const caller = new AbortController();
  const stopped = runStages([waiting(60_000)], {}, log().log, caller.signal);
  caller.abort();
  await expect(stopped).rejects.toThrow(/^"waiting" did not succeed: it was ended$/);
});
