/**
 * What TLS and boot proofs cost the conductor: lookups and heartbeats of our own agent's clients in both protocols, and
 * the transfer of a file.
 *
 *   node test/bench/agent-session.ts [seconds]
 *
 * The server is a separate process with a durable store; its processor time is counted, not that of the agents.
 */
import { type ChildProcess, fork } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { type ConductorClient, createConductorClient } from '@ingot/agent/conductor-client.ts';
import { imageConnector } from '@ingot/agent/pinned-connect.ts';
import { createTrustedClient } from '@ingot/agent/trusted-client.ts';
import { createRamdiskApi } from '@ingot/conductor/api/ironic/ramdisk-api.ts';
import type { NewNode } from '@ingot/conductor/domain/node.ts';
import { sendFile } from '@ingot/conductor/http/file-response.ts';
import { openStore } from '@ingot/conductor/store/sqlite/store.ts';
import { pinOfKey } from '@ingot/shared/tls/public-key-pin.ts';
import { newPrivateKey, selfSigned } from '@ingot/shared/tls/self-signed.ts';
import { Agent, request } from 'undici';
import { createTestApi } from '../fakes/api.ts';

const NODES = 200;
const AGENTS_AT_ONCE = 16;
const FILE_MIB = 512;
const MEBI = 1024 * 1024;
const CALLS_PER_MINUTE = 1_000_000_000;
const { signal } = new AbortController();

interface Server {
  readonly plainUrl: string;
  readonly tlsUrl: string;
  readonly pin: string;
  readonly nodes: readonly { readonly uuid: string; readonly secret: string; readonly mac: string }[];
}

const [, script, first] = process.argv;
if (first === 'serve') await serve(String(process.argv[3]));
else await measure(Number(first ?? 5));

async function serve(dir: string): Promise<void> {
  const store = await openStore({ path: join(dir, 'ingot.db') });
  const settings = { ramdiskCallsPerMinute: CALLS_PER_MINUTE };
  const test = await createTestApi(settings, undefined, undefined, store);
  const key = newPrivateKey();
  const { certificate } = selfSigned('conductor', key);
  const path = join(dir, 'file');
  writeFileSync(path, Buffer.alloc(FILE_MIB * MEBI));
  const listen = async (tls?: { key: string; cert: string }): Promise<number> => {
    const app = createRamdiskApi(test.deps, tls);
    app.get('/file', (_request, reply) => sendFile(_request, reply, path));
    await app.listen({ host: '127.0.0.1', port: 0 });
    return (app.server.address() as AddressInfo).port;
  };
  const nodes: Server['nodes'][number][] = [];
  for (let index = 0; index < NODES; index += 1) {
    const [uuid, secret] = [crypto.randomUUID(), `secret-${index}`.padEnd(43, 'x')];
    const mac = `52:54:00:00:01:${index.toString(16).padStart(2, '0')}`;
    const record = { uuid, driver: 'fake-hardware', interfaces: {}, provisionState: 'cleaning' };
    const bootTarget = { kind: 'ramdisk', kernelParams: [], bootSecret: secret };
    await store.nodes.create({ ...record, bootTarget } as unknown as NewNode, new Date());
    await store.ports.create(
      { uuid: crypto.randomUUID(), nodeUuid: uuid, address: mac as never },
      new Date(),
    );
    nodes.push({ uuid, secret, mac });
  }
  process.on('message', async (what) => {
    if (what === 'forget') {
      for (const { uuid } of nodes) await store.nodes.update(uuid, { agent: null }, new Date());
    }
    const { user, system } = process.cpuUsage();
    process.send?.((user + system) / 1000);
  });
  const server: Server = {
    plainUrl: `http://127.0.0.1:${await listen()}`,
    tlsUrl: `https://127.0.0.1:${await listen({ key, cert: certificate })}`,
    pin: pinOfKey(key),
    nodes,
  };
  process.send?.(server);
}

async function measure(seconds: number): Promise<void> {
  const dir = mkdtempSync(join(tmpdir(), 'ingot-bench-'));
  const child = fork(String(script), ['serve', dir]);
  try {
    const server = await answerOf<Server>(child);
    console.log(`${'figure'.padEnd(34)}${'per second'.padStart(12)}${'CPU ms each'.padStart(14)}`);
    for (const kind of ['plain', 'TLS and proofs'] as const) {
      await ask(child, 'forget');
      const agents = server.nodes.map((node) => agentOf(server, node, kind));
      await figure(child, `lookup, first of a boot (${kind})`, (count) => each(agents, count, lookUp));
      await figure(child, `heartbeat (${kind})`, (count) => during(seconds, agents, count, beat));
    }
    for (const url of [server.plainUrl, server.tlsUrl]) await transfer(child, server, url);
  } finally {
    child.kill();
    rmSync(dir, { recursive: true, force: true });
  }
}

interface MeasuredAgent {
  readonly client: ConductorClient;
  readonly node: Server['nodes'][number];
  token: string;
}

function agentOf(
  server: Server,
  node: Server['nodes'][number],
  kind: 'plain' | 'TLS and proofs',
): MeasuredAgent {
  const trust = {
    ...{ apiUrl: server.tlsUrl, pin: server.pin, nodeUuid: node.uuid, bootSecret: node.secret },
    identity: selfSigned('agent', newPrivateKey()),
  };
  const client =
    kind === 'plain'
      ? createConductorClient({ api: [server.plainUrl], inspection: null })
      : createTrustedClient(trust);
  return { client, node, token: '' };
}

async function lookUp(agent: MeasuredAgent): Promise<void> {
  const answer = await agent.client.lookup([agent.node.mac], null, signal);
  agent.token = String(answer.token);
}

async function beat({ client, node, token }: MeasuredAgent): Promise<void> {
  const scheme = client.conductorTime() === null ? 'http' : 'https';
  const known = { version: 'ingot/1', verifyCa: null, status: null, statusMessage: null };
  await client.heartbeat(node.uuid, { ...known, callbackUrl: `${scheme}://192.0.2.9:9999`, token }, signal);
}

type Count = () => void;

/** Every agent once. */
async function each(
  agents: readonly MeasuredAgent[],
  count: Count,
  work: (agent: MeasuredAgent) => Promise<void>,
): Promise<void> {
  const left = [...agents];
  const worker = async (): Promise<void> => {
    for (let agent = left.pop(); agent !== undefined; agent = left.pop()) {
      await work(agent);
      count();
    }
  };
  await Promise.all(Array.from({ length: AGENTS_AT_ONCE }, worker));
}

async function during(
  seconds: number,
  agents: readonly MeasuredAgent[],
  count: Count,
  work: (agent: MeasuredAgent) => Promise<void>,
): Promise<void> {
  const end = performance.now() + seconds * 1000;
  while (performance.now() < end) await each(agents, count, work);
}

async function figure(
  child: ChildProcess,
  name: string,
  work: (count: Count) => Promise<void>,
): Promise<void> {
  let done = 0;
  const cpuBefore = await ask(child, 'cpu');
  const began = performance.now();
  await work(() => {
    done += 1;
  });
  const perSecond = (done / (performance.now() - began)) * 1000;
  const cpu = ((await ask(child, 'cpu')) - cpuBefore) / done;
  console.log(`${name.padEnd(34)}${perSecond.toFixed(0).padStart(12)}${cpu.toFixed(2).padStart(14)}`);
}

async function transfer(child: ChildProcess, server: Server, url: string): Promise<void> {
  const trust = { apiUrl: server.tlsUrl, pin: server.pin, nodeUuid: '', bootSecret: '' };
  const identity = selfSigned('agent', newPrivateKey());
  const dispatcher = new Agent({ connect: imageConnector({ ...trust, identity }, 10_000) });
  const cpuBefore = await ask(child, 'cpu');
  const began = performance.now();
  const { body } = await request(`${url}/file`, { dispatcher });
  await pipeline(body, async (chunks) => {
    for await (const _ of chunks);
  });
  const perSecond = FILE_MIB / ((performance.now() - began) / 1000);
  const cpu = ((await ask(child, 'cpu')) - cpuBefore) / FILE_MIB;
  await dispatcher.destroy();
  const name = `file, MiB (${url.startsWith('https') ? 'TLS' : 'plain'})`;
  console.log(`${name.padEnd(34)}${perSecond.toFixed(0).padStart(12)}${cpu.toFixed(2).padStart(14)}`);
}

async function ask(child: ChildProcess, what: 'forget' | 'cpu'): Promise<number> {
  const answer = answerOf<number>(child);
  child.send(what);
  return answer;
}

function answerOf<T>(child: ChildProcess): Promise<T> {
  return new Promise((resolve, reject) => {
    child.once('message', (message) => resolve(message as T));
    child.once('exit', () => reject(new Error('the server has ended')));
  });
}
