/**
 * Records a conversation between `ingot serve` and the real ironic-python-agent of a checkout:
 *
 *   node test/interop/record-python-agent.ts CHECKOUT
 *
 * The agent inspects, cleans and deploys a node, each in a boot of its own. docs/agent.md tells what it needs.
 */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { startAttackedConductor } from '../attack/attacked-conductor.ts';
import { createHttpCaller } from '../attack/http-caller.ts';
import { freePort, startProcess, stopProcess } from '../conformance/server-process.ts';
import { provision } from '../fakes/operator.ts';
import { type Boot, generalized, RECORDED, type Recording } from './recording.ts';
import { startRecordingProxy } from './recording-proxy.ts';

const AGENT = fileURLToPath(new URL('python-agent.py', import.meta.url));
const LIMIT_MS = 60_000;
const POLL_MS = 100;
const HOW =
  'test/interop/record-python-agent.ts: the whole agent, on made-up hardware, against ingot serve with agent.allow_plaintext';

const checkout = resolve(process.argv[2] ?? '.');
const git = (...args: string[]) =>
  execFileSync('git', ['-C', checkout, ...args], { encoding: 'utf8' }).trim();
const version = git('describe', '--tags', '--match', '[0-9]*.*.*');
const logPath = join(mkdtempSync(join(tmpdir(), 'recorded-agent-')), 'agent.log');
const agentPort = await freePort();

await using conductor = await startAttackedConductor({
  loopback: true,
  plaintextAgents: true,
  settings: { agent: { callback_allow: ['127.0.0.1/32'] } },
});
await using toConductor = await startRecordingProxy(conductor.provisioningUrl ?? '');
await using toAgent = await startRecordingProxy(`http://127.0.0.1:${agentPort}`);
const made = await conductor.nodeAwaitingAgent('inspect', { fields: { automated_clean: true } });

const inspect = await record({ inspects: true, ends: ['manageable', 'inspect failed'] });
await conductor.operator.ask(made, provision({ target: 'provide' }));
await conductor.operator.reach(made, 'clean wait');
const clean = await record({ ends: ['available', 'clean failed'], during: provokeErrors });
await conductor.operator.ask(made, provision({ target: 'active' }));
await conductor.operator.reach(made, 'wait call-back');
const deploy = await record({ ends: ['active', 'deploy failed'] });

const recording: Recording = {
  recordedFrom: { program: 'ironic-python-agent', version, commit: git('rev-parse', 'HEAD'), how: HOW },
  boots: { inspect, clean, deploy },
};
const path = join(RECORDED, `python-agent-${version}.json`);
writeFileSync(path, `${JSON.stringify(recording, null, 2)}\n`);
process.stderr.write(`${path}\n`);

interface Part {
  readonly inspects?: boolean;
  /** States of the node in which the boot is over. */
  readonly ends: readonly string[];
  readonly during?: () => Promise<void>;
}

async function record({ inspects = false, ends, during }: Part): Promise<Boot> {
  const inspection = inspects ? `${toConductor.url}/v1/continue_inspection` : '';
  const agent = startProcess({
    file: '/usr/bin/python3',
    args: [AGENT, checkout, toConductor.url, inspection, made.mac, `${agentPort}`, `${toAgent.port}`],
    env: { PATH: '/usr/bin:/bin', PYTHONPATH: process.env['PYTHONPATH'] ?? '' },
    logPath,
  });
  try {
    await during?.();
    const end = await until(async () => {
      const node = (await conductor.api('GET', `/v1/nodes/${made.node}`)).body;
      return ends.includes(node.provision_state) && node.reservation === null ? node : undefined;
    });
    process.stderr.write(`${end.provision_state}; last_error: ${end.last_error}\n`);
    const boot = { toConductor: toConductor.take(), toAgent: toAgent.take(), end: end.provision_state };
    const TOKEN = tokenOf(boot.toConductor);
    return generalized(boot, { NODE: made.node, MAC: made.mac, CALLBACK: toAgent.url, TOKEN });
  } finally {
    await stopProcess(agent);
  }
}

/** Requests that are refused, while a command runs. */
async function provokeErrors(): Promise<void> {
  await until(async () =>
    toAgent.kept.find(({ request }) => JSON.stringify(request.body).includes('"erase_devices"')),
  );
  const call = createHttpCaller(`${toAgent.url}/v1/commands/`);
  const token = `agent_token=${tokenOf(toConductor.kept)}`;
  const sync = { name: 'standby.sync', params: {} };
  await call('POST', '?agent_token=wrong', { body: sync });
  await call('GET', '?agent_token=wrong');
  await call('GET', `no-such-command?${token}`);
  await call('GET', `?${token}`);
  await call('POST', `?${token}`, { body: sync });
  await call('POST', `?${token}`, { body: { name: 'standby.sync' } });
}

function tokenOf(exchanges: Boot['toConductor']): string {
  for (const { request, answer } of exchanges) {
    const body = answer.body as { config?: { agent_token?: string } } | null;
    if (request.path.startsWith('/v1/lookup') && body?.config?.agent_token) return body.config.agent_token;
  }
  throw new Error(`no lookup was answered; the agent's log is ${logPath}`);
}

async function until<T>(look: () => Promise<T | undefined>): Promise<T> {
  const deadline = Date.now() + LIMIT_MS;
  for (;;) {
    const seen = await look();
    if (seen !== undefined) return seen;
    if (Date.now() > deadline) throw new Error(`nothing more happens; the agent's log is ${logPath}`);
    await sleep(POLL_MS);
  }
}
