import type { AddressInfo } from 'node:net';
import { TOKEN_HEADER } from '@ingot/shared/agent/boot-proof.ts';
import { pinOfKey } from '@ingot/shared/tls/public-key-pin.ts';
import { newPrivateKey, selfSigned, type TlsIdentity } from '@ingot/shared/tls/self-signed.ts';
import { Agent, request } from 'undici';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createAgentHardware } from '../../test/fakes/agent/agent-hardware.ts';
import { createCommandLog } from './command-log.ts';
import { createServer } from './server.ts';

const TOKEN = 'the-token-of-this-boot';
const agent = selfSigned('agent', newPrivateKey());
const conductor = selfSigned('conductor', newPrivateKey());
const stranger = selfSigned('conductor', newPrivateKey());

async function listening() {
  const app = createServer({
    commands: createCommandLog({
      hardware: createAgentHardware({}),
      signal: new AbortController().signal,
      onEnd: () => undefined,
      node: () => ({}),
    }),
    table: {},
    token: () => TOKEN,
    startedAt: new Date(0),
    trust: { identity: agent, pin: pinOfKey(conductor.key) },
  });
  await app.listen({ host: '127.0.0.1', port: 0 });
  onTestFinished(() => app.close());
  const url = `https://127.0.0.1:${(app.server.address() as AddressInfo).port}`;
  return async (client: TlsIdentity | null, token: string | null = TOKEN) => {
    const dispatcher = new Agent({
      connect: {
        ca: agent.certificate,
        checkServerIdentity: () => undefined,
        ...(client === null ? {} : { key: client.key, cert: client.certificate }),
      },
    });
    onTestFinished(() => dispatcher.destroy());
    const headers = token === null ? {} : { [TOKEN_HEADER]: token };
    const answer = await request(`${url}/v1/commands`, { dispatcher, headers });
    await answer.body.dump();
    return answer.statusCode;
  };
}

describe('the command API of a proven agent', () => {
  it('answers the conductor that booted it', async () => {
    expect(await (await listening())(conductor)).toBe(200);
  });

  it.each([
    ['without a certificate', null],
    ['with another key', stranger],
  ])('cuts a client %s off', async (_, client) => {
    await expect((await listening())(client)).rejects.toThrow(/socket|closed|ECONNRESET/i);
  });

  it.each([null, 'wrong'])('refuses the conductor with the token %j', async (token) => {
    expect(await (await listening())(conductor, token)).toBe(401);
  });
});
