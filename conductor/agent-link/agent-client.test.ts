import { once } from 'node:events';
import { createServer } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import type { TLSSocket } from 'node:tls';
import { TOKEN_HEADER } from '@ingot/shared/agent/boot-proof.ts';
import { pinOfCertificate, pinOfKey } from '@ingot/shared/tls/public-key-pin.ts';
import { newPrivateKey, selfSigned, type TlsIdentity } from '@ingot/shared/tls/self-signed.ts';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { Node } from '../domain/node.ts';
import { createAgentClients } from './agent-client.ts';
import { AgentSilence } from './agent-commands.ts';

const TOKEN = 'token-of-this-boot';
const COMMAND = { id: 'c/1', command_name: 'sync', command_status: 'SUCCEEDED', command_result: null };

interface Answer {
  readonly status?: number;
  readonly body: unknown;
}

/** Starts an agent that gives every call the same answer; returns its commands. */
async function agentAnswering({ status = 200, body }: Answer, token: string | null = TOKEN) {
  const seen: { method: string | undefined; url: string | undefined; body: string }[] = [];
  const server = createServer(async (request, response) => {
    seen.push({ method: request.method, url: request.url, body: await text(request) });
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const clients = createAgentClients();
  onTestFinished(async () => {
    await clients.close();
    server.close();
    server.closeAllConnections();
  });
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const node = { uuid: 'n', agent: { url: `${url}/`, token, verifyCa: null } } as unknown as Node;
  return { seen, server, url, commands: clients.for(node, new AbortController().signal) };
}

it('posts a command with the token of the session and reads the result', async () => {
  const { seen, commands } = await agentAnswering({ body: COMMAND });
  const result = await commands.post('standby.sync', { a: 1 }, { wait: true });
  expect(result).toMatchObject({ id: 'c/1', name: 'sync', status: 'SUCCEEDED' });
  expect(seen).toEqual([
    {
      method: 'POST',
      url: `/v1/commands/?wait=true&agent_token=${TOKEN}`,
      body: '{"name":"standby.sync","params":{"a":1}}',
    },
  ]);
});

it('reads one command by its id, and all commands', async () => {
  const one = await agentAnswering({ body: COMMAND });
  await one.commands.get('c/1');
  expect(one.seen[0]).toMatchObject({ method: 'GET', url: `/v1/commands/c%2F1?agent_token=${TOKEN}` });
  const all = await agentAnswering({ body: { commands: [COMMAND, COMMAND] } }, null);
  expect(await all.commands.list()).toHaveLength(2);
  expect(all.seen[0]).toMatchObject({ method: 'GET', url: '/v1/commands/' });
  const unknown = await agentAnswering({ status: 404, body: { faultcode: 'Client', faultstring: 'gone' } });
  expect(await unknown.commands.get('c/1')).toBeUndefined();
});

it.each<[string, Answer, RegExp]>([
  [
    'a refusal',
    { status: 409, body: { faultstring: 'Agent is busy' } },
    /^the agent refused x\.y with HTTP 409: Agent is busy$/,
  ],
  ['a bare error', { status: 500, body: null }, /^the agent refused x\.y with HTTP 500$/],
  [
    'no command',
    { body: [] },
    /^the agent's answer to x\.y cannot be read: a command result must be an object$/,
  ],
])('fails with the words of %s', async (_, answer, message) => {
  const { commands } = await agentAnswering(answer);
  await expect(commands.post('x.y', {}, { wait: false })).rejects.toThrow(message);
});

it('throws AgentSilence without a token when no agent listens', async () => {
  const { commands, server } = await agentAnswering({ body: COMMAND });
  server.close();
  const error = await commands.list().catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(AgentSilence);
  expect(String(error)).toMatch(
    /the agent at 127\.0\.0\.1:\d+ did not answer to a list of commands \(ECONNREFUSED\)/,
  );
  expect(String(error)).not.toContain(TOKEN);
});

it('throws AgentSilence before the first heartbeat', async () => {
  const clients = createAgentClients();
  const node = { uuid: 'n', agent: { url: null } } as unknown as Node;
  await expect(clients.for(node, new AbortController().signal).list()).rejects.toThrow(
    'no agent has called back for node n since its last boot',
  );
});

it('fails with at most 4096 characters of what the agent says', async () => {
  const faultstring = `cannot\u001b[2J${'x'.repeat(100_000)}`;
  const { commands } = await agentAnswering({ status: 500, body: { faultstring } });
  const error = (await commands.list().catch((thrown: unknown) => thrown)) as Error;
  expect(error.message).toMatch(
    /^the agent refused .* HTTP 500: cannot\u{fffd}\[2Jx+ \[cut from 100\d+ characters\]$/u,
  );
  expect(error.message.length).toBeLessThan(4200);
});

it.each<[string, unknown, RegExp]>([
  ['too long', { commands: [], padding: 'x'.repeat(1024 * 1024) }, /is longer than 1 MiB and was cut off$/],
  ['nested too deep', JSON.parse('['.repeat(1000) + ']'.repeat(1000)), /is nested deeper than 25 levels$/],
])('refuses an answer that is %s, and is not silent about it', async (_, body, message) => {
  const { commands } = await agentAnswering({ body });
  const error = await commands.list().catch((thrown: unknown) => thrown);
  expect(error).not.toBeInstanceOf(AgentSilence);
  expect(String(error)).toMatch(message);
});

it('reads no more of an endless answer than it accepts', async () => {
  let sent = 0;
  const server = createServer((_, response) => {
    const more = (): void => {
      while (!response.destroyed && response.write(Buffer.alloc(65_536, 0x20))) sent += 65_536;
      sent += 65_536;
    };
    response.on('drain', more);
    more();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const clients = createAgentClients();
  onTestFinished(async () => {
    await clients.close();
    server.close();
    server.closeAllConnections();
  });
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const node = { uuid: 'n', agent: { url, token: TOKEN, verifyCa: null } } as unknown as Node;
  const gone = new Promise((resolve) => server.once('connection', (socket) => socket.once('close', resolve)));
  await expect(clients.for(node, new AbortController().signal).list()).rejects.toThrow('longer than 1 MiB');
  await gone;
  // What the kernel buffers on both sides is more than the conductor reads.
  expect(sent).toBeLessThan(16 * 1024 * 1024);
});

it('does not follow a redirect', async () => {
  const other = await agentAnswering({ body: { commands: [] } });
  const server = createServer((_, response) =>
    response.writeHead(307, { location: `${other.url}/v1/commands/` }).end('{}'),
  );
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  const clients = createAgentClients();
  onTestFinished(() => clients.close());
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const node = { uuid: 'n', agent: { url, token: TOKEN, verifyCa: null } } as unknown as Node;
  const { list } = clients.for(node, new AbortController().signal);
  await expect(list()).rejects.toThrow('the agent refused a list of commands with HTTP 307');
  expect(other.seen).toEqual([]);
});

describe('an agent that has proved the boot secret', () => {
  const agent = selfSigned('agent', newPrivateKey());
  const conductor = selfSigned('conductor', newPrivateKey());

  /** An agent on mutual TLS that shows `shown`, and the commands of a conductor that has bound its certificate. */
  async function provenAgent(shown: TlsIdentity) {
    const seen: { url: string | undefined; token: unknown; client: string | undefined }[] = [];
    const server = createTlsServer(
      { key: shown.key, cert: shown.certificate, requestCert: true, rejectUnauthorized: false },
      (request, response) => {
        const client = (request.socket as TLSSocket).getPeerX509Certificate();
        seen.push({
          url: request.url,
          token: request.headers[TOKEN_HEADER],
          client: client && pinOfCertificate(client),
        });
        response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ commands: [] }));
      },
    ).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const clients = createAgentClients(conductor);
    onTestFinished(async () => {
      await clients.close();
      server.closeAllConnections();
      server.close();
    });
    const url = `https://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const node = { uuid: 'n', agent: { url, token: TOKEN, verifyCa: agent.certificate, proven: true } };
    return { seen, commands: clients.for(node as unknown as Node, new AbortController().signal) };
  }

  it('sees the key of the conductor, and the token in a header', async () => {
    const { seen, commands } = await provenAgent(agent);
    await commands.list();
    expect(seen).toEqual([{ url: '/v1/commands/', token: TOKEN, client: pinOfKey(conductor.key) }]);
  });

  it('can not be replaced by one with another certificate', async () => {
    const { seen, commands } = await provenAgent(selfSigned('agent', newPrivateKey()));
    await expect(commands.list()).rejects.toBeInstanceOf(AgentSilence);
    expect(seen).toEqual([]);
  });
});
