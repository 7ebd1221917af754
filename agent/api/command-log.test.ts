import { expect, it } from 'vitest';
import type { Command } from '../commands.ts';
import { parseCommandLine } from '../config.ts';
import { createLog } from '../log.ts';
import { createCommandLog } from './command-log.ts';

function commandLog() {
  let ended = 0;
  const hardware = {
    run: async () => '',
    config: parseCommandLine('').config,
    log: createLog(() => undefined),
    listDisks: async () => [],
    written: { device: undefined },
    trust: null,
  };
  const commands = createCommandLog({
    hardware,
    signal: new AbortController().signal,
    onEnd: () => {
      ended += 1;
    },
    node: () => ({}),
  });
  return { commands, ended: () => ended };
}

it('answers an async command while it runs, with its progress, and runs one at a time', async () => {
  const { commands, ended } = commandLog();
  const gate = Promise.withResolvers<string>();
  const slow: Command = {
    kind: 'async',
    params: {},
    run: async ({ progress }) => {
      progress({ phase: 'write', bytesDone: 1, bytesTotal: 2, bytesPerSecond: null });
      return gate.promise;
    },
  };
  const started = await commands.start('standby.prepare_image', slow, {}, false);
  expect(started).toMatchObject({
    name: 'prepare_image',
    status: 'RUNNING',
    progress: { bytesDone: 1 },
  });
  await expect(commands.start('standby.sync', slow, {}, false)).rejects.toMatchObject({
    kind: 'AgentIsBusy',
  });
  gate.resolve('written');
  expect(await commands.find(started.id, true)).toMatchObject({
    status: 'SUCCEEDED',
    result: { result: 'prepare_image: written' },
  });
  expect(ended()).toBe(1);
});

it('answers a sync command when it has ended, also when it failed', async () => {
  const { commands, ended } = commandLog();
  const bad: Command = { kind: 'sync', params: {}, run: () => Promise.reject(new Error('no such disk')) };
  expect(await commands.start('standby.sync', bad, {}, false)).toMatchObject({
    status: 'FAILED',
    error: { type: 'CommandExecutionError', code: 500, details: 'no such disk' },
  });
  expect(ended()).toBe(0);
});

it('keeps only the newest commands', async () => {
  const { commands } = commandLog();
  const quick: Command = { kind: 'sync', params: {}, run: async () => null };
  const ids: string[] = [];
  for (let number = 0; number < 60; number += 1) {
    ids.push((await commands.start('standby.sync', quick, {}, false)).id);
  }
  expect(commands.list().map(({ id }) => id)).toEqual(ids.slice(-50));
  expect(await commands.find(ids[0]!, false)).toBeUndefined();
});
