/**
 * The real Ironic's client for agents, with our agent, which found no pin on its command line and so speaks plain HTTP.
 */
import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { createCommandLog } from '@ingot/agent/api/command-log.ts';
import { createServer } from '@ingot/agent/api/server.ts';
import { COMMANDS, type Command } from '@ingot/agent/commands.ts';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createAgentHardware } from '../fakes/agent/agent-hardware.ts';

const run = promisify(execFile);
const SCRIPT = fileURLToPath(new URL('ironic-agent-client.py', import.meta.url));
const TOKEN = 'the-token-of-this-boot';
const LIMIT_MS = 60_000;

const gate = Promise.withResolvers<void>();
const held: Command = { kind: 'async', params: {}, run: () => gate.promise };

const server = createServer({
  commands: createCommandLog({
    hardware: createAgentHardware({}),
    signal: new AbortController().signal,
    onEnd: () => undefined,
    node: () => ({ uuid: 'n', properties: {} }),
  }),
  table: { ...COMMANDS, 'rescue.finalize_rescue': held },
  token: () => TOKEN,
  startedAt: new Date(),
});

/** The method and its arguments, with the token of the node; in this order. */
const CALLS = {
  clean: [TOKEN, 'get_clean_steps', { ports: [] }],
  deploy: [TOKEN, 'get_deploy_steps', { ports: [] }],
  unauthorized: ['wrong', 'get_clean_steps', { ports: [] }],
  unknown: [TOKEN, '_command', { method: 'no_such.command', params: {} }],
  status: [TOKEN, 'get_commands_status', {}],
  started: [TOKEN, '_command', { method: 'rescue.finalize_rescue', params: {} }],
  busy: [TOKEN, 'get_clean_steps', { ports: [] }],
} as const;
type Outcomes = Readonly<
  Record<
    keyof typeof CALLS,
    { readonly returned: unknown } | { readonly raised: string; readonly text: string }
  >
>;

let outcomes: Outcomes;
beforeAll(async () => {
  const url = await server.listen({ host: '127.0.0.1', port: 0 });
  const { stdout } = await run('/usr/bin/python3', [SCRIPT, url, JSON.stringify(Object.values(CALLS))], {
    timeout: LIMIT_MS,
    env: { PATH: '/usr/bin:/bin', PYTHONDONTWRITEBYTECODE: '1' },
  });
  const list = JSON.parse(stdout);
  outcomes = Object.fromEntries(Object.keys(CALLS).map((name, index) => [name, list[index]])) as Outcomes;
});
afterAll(async () => {
  gate.resolve();
  await server.close();
});

it('reads our steps', () => {
  expect(outcomes.clean).toMatchObject({
    returned: {
      command_name: 'get_clean_steps',
      command_status: 'SUCCEEDED',
      command_result: {
        clean_steps: {
          IngotHardwareManager: expect.arrayContaining([
            expect.objectContaining({ step: 'erase_devices', interface: 'deploy', priority: 10 }),
          ]),
        },
        hardware_manager_version: { IngotHardwareManager: expect.any(String) },
      },
    },
  });
  expect(outcomes.deploy).toMatchObject({
    returned: { command_result: { deploy_steps: { IngotHardwareManager: [{ step: 'write_image' }] } } },
  });
});

it('starts a command', () => {
  expect(outcomes.started).toMatchObject({
    returned: { command_name: 'finalize_rescue', command_status: 'RUNNING', command_error: null },
  });
});

it.each([
  ['unauthorized', 'AgentAPIError', /401.*agent_token is missing or wrong/],
  ['unknown', 'AgentAPIError', /404.*Extension with id no_such not found/],
  ['busy', 'AgentInProgress', /busy/i],
] as const)('tells the error: %s', (name, raised, text) => {
  expect(outcomes[name]).toMatchObject({ raised, text: expect.stringMatching(text) });
});

// This Ironic reads the status of commands without a token, which our agent refuses.
it.fails('reads the status of commands', () => {
  expect(outcomes.status).toMatchObject({ returned: expect.any(Array) });
});
