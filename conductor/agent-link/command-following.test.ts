import type { CommandResult } from '@ingot/shared/agent/command.ts';
import { expect, it } from 'vitest';
import type { JsonObject } from '../domain/json.ts';
import type { StepRecord } from '../domain/steps.ts';
import { type AgentCommands, AgentSilence } from './agent-commands.ts';
import { callCommand, type FollowingContext, followCommand } from './command-following.ts';

const START = Date.parse('2026-01-01T00:00:00Z');
const SPEC = {
  name: 'deploy.execute_deploy_step',
  params: () => ({ step: 'x' }),
  limitMs: 60_000,
  what: 'write_image',
};

const result = (more: Partial<CommandResult> = {}): CommandResult => ({
  id: 'c-1',
  name: 'execute_deploy_step',
  status: 'RUNNING',
  error: null,
  result: null,
  progress: null,
  ...more,
});

/** A step with its stored memo; `again` is the step as a restarted conductor would read it. */
function stepWith(agent: Partial<AgentCommands>, memo: JsonObject = {}) {
  const state = { memo, nowMs: START, heardMs: undefined as number | undefined, shown: [] as unknown[] };
  const context: FollowingContext = {
    get step() {
      return { memo: state.memo } as unknown as StepRecord;
    },
    now: () => new Date(state.nowMs),
    remember: async (more) => {
      state.memo = { ...state.memo, ...more };
    },
    progress: async (progress) => void state.shown.push(progress),
    heartbeatSince: () => (state.heardMs === undefined ? undefined : new Date(state.heardMs)),
  };
  const whole: AgentCommands = {
    post: () => Promise.reject(new Error('not to be sent')),
    get: () => Promise.reject(new Error('not to be asked')),
    list: async () => [],
    ...agent,
  };
  return { state, follow: () => followCommand(context, whole, SPEC) };
}

const sentMemo = (id: string | null) => ({
  command: { startedAt: new Date(START).toISOString(), before: 0, id },
});

it('stores the intent before it sends the command, and waits while the command runs', async () => {
  const memos: JsonObject[] = [];
  const { state, follow } = stepWith({
    post: async (name, params, { wait }) => {
      memos.push(state.memo);
      expect([name, params, wait]).toEqual([SPEC.name, { step: 'x' }, false]);
      return result({ progress: { phase: 'write', bytesDone: 1, bytesTotal: 2, bytesPerSecond: 3 } });
    },
  });
  expect(await follow()).toEqual({
    kind: 'wait',
    waitingFor: { kind: 'command', text: 'write_image' },
    wakeAt: new Date(START + 1_000),
    deadline: new Date(START + 60_000),
    overdue: 'agent command deploy.execute_deploy_step did not end within 60 s',
  });
  expect(memos).toEqual([sentMemo(null)]);
  expect(state.memo).toEqual(sentMemo('c-1'));
  expect(state.shown).toEqual([{ phase: 'write', bytesDone: 1, bytesTotal: 2, bytesPerSecond: 3 }]);
});

it('is sent once: after a crash between sending and storing, a longer list shows that the last command is ours', async () => {
  const before = (count: number) => ({ command: { ...sentMemo(null).command, before: count } });
  const known = [result({ id: 'earlier' }), result({ status: 'SUCCEEDED' })];
  const crashed = stepWith({ list: async () => known }, before(1));
  expect(await crashed.follow()).toEqual({ kind: 'done' });
  expect(crashed.state.memo).toEqual({ command: { ...before(1).command, id: 'c-1' } });
  const unsent = stepWith({ list: async () => known, post: async () => result({ id: 'new' }) }, before(2));
  await unsent.follow();
  expect(unsent.state.memo).toEqual({ command: { ...before(2).command, id: 'new' } });
});

it('is followed by its id until the agent reports its end', async () => {
  const ended = (answer: CommandResult | undefined) =>
    stepWith({ get: async () => answer }, sentMemo('c-1')).follow();
  expect(await ended(result({ status: 'SUCCEEDED' }))).toEqual({ kind: 'done' });
  await expect(
    ended(result({ status: 'FAILED', error: { details: 'no disk', message: 'm' } })),
  ).rejects.toThrow('the agent answered to deploy.execute_deploy_step: no disk');
  await expect(ended(result({ status: 'CLEAN_VERSION_MISMATCH' }))).rejects.toThrow(
    'it ended as CLEAN_VERSION_MISMATCH without saying why',
  );
  await expect(ended(undefined)).rejects.toThrow(
    /no longer knows command .*: it has restarted in the middle/,
  );
});

it('tolerates a silent agent for five minutes', async () => {
  const silent = { get: () => Promise.reject(new AgentSilence('no answer')) };
  const { state, follow } = stepWith(silent, sentMemo('c-1'));
  state.nowMs = START + 300_000;
  expect(await follow()).toMatchObject({ kind: 'wait' });
  state.nowMs = START + 300_001;
  await expect(follow()).rejects.toThrow('no answer');
  state.heardMs = START + 200_000;
  expect(await follow()).toMatchObject({ kind: 'wait' });
});

it('callCommand waits for the end of a command', async () => {
  const asked: unknown[] = [];
  const agent = (answer: CommandResult): AgentCommands => ({
    post: async (...call) => {
      asked.push(call);
      return answer;
    },
    get: async () => undefined,
    list: async () => [],
  });
  await callCommand(agent(result({ status: 'SUCCEEDED' })), 'standby.sync', 5_000);
  expect(asked).toEqual([['standby.sync', {}, { wait: true, timeoutMs: 5_000 }]]);
  await expect(
    callCommand(agent(result({ status: 'FAILED', error: { type: 'T' } })), 'standby.sync', 1),
  ).rejects.toThrow('the agent answered to standby.sync: T');
});
