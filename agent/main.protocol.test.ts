/** The agent as a process on this machine, with a conductor on loopback, from its first log line to its end. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { request } from 'undici';
import { expect, it, onTestFinished, vi } from 'vitest';
import {
  type FakeAnswer,
  lookupAnswer,
  NODE_UUID,
  refusal,
  startFakeConductor,
  TOKEN,
} from '../test/fakes/agent/fake-conductor.ts';
import { makeTree } from '../test/fakes/agent/file-tree.ts';

const MAIN = fileURLToPath(new URL('main.ts', import.meta.url));
const WAIT = { timeout: 40_000, interval: 50 };

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as { port: number };
  server.close();
  await once(server, 'close');
  return port;
}

interface Agent {
  readonly process: ChildProcess;
  readonly output: () => string;
  readonly ended: Promise<unknown>;
}

async function machine(answers: Readonly<Record<string, readonly FakeAnswer[]>>, parameters: string) {
  const conductor = await startFakeConductor(answers);
  onTestFinished(() => conductor.close());
  const port = await freePort();
  const line = `quiet ipa-api-url=${conductor.url} ipa-listen-host=127.0.0.1 ipa-listen-port=${port} ipa-disk-wait-attempts=1 ${parameters}`;
  const tree = makeTree({ cmdline: `${line.replaceAll('CONDUCTOR', conductor.url)}\n` });
  const startAgent = (): Agent => {
    const child = spawn(process.execPath, [MAIN], {
      env: {
        PATH: process.env['PATH'],
        INGOT_AGENT_CMDLINE: join(tree, 'cmdline'),
        INGOT_AGENT_RUN_DIR: tree,
      },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const chunks: string[] = [];
    child.stdout.on('data', (chunk) => chunks.push(String(chunk)));
    child.stderr.on('data', (chunk) => chunks.push(String(chunk)));
    const ended = once(child, 'exit');
    onTestFinished(async () => {
      child.kill('SIGKILL');
      await ended;
    });
    return { process: child, output: () => chunks.join(''), ended };
  };
  const heartbeats = () => conductor.seen.filter(({ path }) => path.startsWith('/v1/heartbeat/'));
  return { conductor, startAgent, heartbeats, api: `http://127.0.0.1:${port}`, tree };
}

it('inspects, looks itself up, serves commands, sends a heartbeat when one has ended, and ends at SIGTERM', async () => {
  const { conductor, startAgent, heartbeats, api } = await machine(
    {
      continue_inspection: [{ status: 202, body: { uuid: NODE_UUID } }],
      lookup: [refusal(404, 'Node was not found'), lookupAnswer(), lookupAnswer({ agent_token: '******' })],
      heartbeat: [{ status: 202 }],
    },
    'ipa-inspection-callback-url=CONDUCTOR/v1/continue_inspection ipa-inspection-collectors=default,logs',
  );
  const first = startAgent();
  await vi.waitFor(() => expect(heartbeats()).toHaveLength(1), WAIT);
  expect(heartbeats()[0]).toMatchObject({
    path: `/v1/heartbeat/${NODE_UUID}`,
    body: { callback_url: api, agent_token: TOKEN, agent_version: expect.stringMatching(/^ingot\//) },
  });
  const inspected = conductor.seen[0]?.body as { inventory: { cpu: { count: number } }; logs: string };
  expect(inspected.inventory.cpu.count).toBeGreaterThan(0);
  expect(Buffer.from(inspected.logs, 'base64').subarray(0, 2)).toEqual(Buffer.from([0x1f, 0x8b]));

  const post = async (name: string, params: unknown, token = TOKEN) => {
    const answer = await request(`${api}/v1/commands/?wait=true&agent_token=${token}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ name, params }),
    });
    return { status: answer.statusCode, body: (await answer.body.json()) as { command_status?: string } };
  };
  expect((await post('poll.get_hardware_info', {}, 'wrong')).status).toBe(401);
  expect(await post('poll.get_hardware_info', {})).toMatchObject({
    status: 200,
    body: { command_status: 'SUCCEEDED' },
  });
  // An unknown step, so it does nothing. But it is async, and its end is reported at once.
  expect((await post('clean.execute_clean_step', { step: { step: 'none_such' } })).body).toMatchObject({
    command_status: 'FAILED',
  });
  await vi.waitFor(() => expect(heartbeats()).toHaveLength(2), WAIT);

  first.process.kill('SIGKILL');
  await first.ended;
  const second = startAgent();
  await vi.waitFor(() => expect(heartbeats()).toHaveLength(3), WAIT);
  expect(heartbeats()[2]?.body).toMatchObject({ agent_token: TOKEN });

  second.process.kill('SIGTERM');
  expect(await second.ended).toEqual([0, null]);
  for (const { output } of [first, second]) {
    expect(output()).toContain(`waiting for commands at ${api}`);
    expect(output()).not.toContain(TOKEN);
  }
});

it('ends with one log line when its node can not be found', async () => {
  const { startAgent, tree } = await machine(
    { lookup: [refusal(404, 'Node was not found')] },
    'ipa-lookup-timeout=1',
  );
  const { ended, output } = startAgent();
  expect(await ended).toEqual([1, null]);
  expect(output().trim().split('\n').at(-1)).toMatch(
    /^agent: [\d.]+s error: "looking this machine up" did not succeed: HTTP 404: Node was not found \(no node that waits for its ramdisk has a port with /,
  );
  expect(existsSync(join(tree, 'token'))).toBe(false);
});
