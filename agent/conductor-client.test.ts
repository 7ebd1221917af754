import type { Heartbeat } from '@ingot/shared/agent/heartbeat.ts';
import type { Inspection } from '@ingot/shared/agent/inspection.ts';
import { describe, expect, it, onTestFinished } from 'vitest';
import {
  type FakeAnswer,
  lookupAnswer,
  NODE_UUID,
  refusal,
  startFakeConductor,
  TOKEN,
} from '../test/fakes/agent/fake-conductor.ts';
import { createConductorClient } from './conductor-client.ts';

const { signal } = new AbortController();

const BEAT: Heartbeat = {
  callbackUrl: 'http://192.0.2.9:9999',
  version: 'ingot/1',
  token: TOKEN,
  verifyCa: null,
  status: null,
  statusMessage: null,
};

async function conductor(answers: Readonly<Record<string, readonly FakeAnswer[]>>) {
  const fake = await startFakeConductor(answers);
  onTestFinished(() => fake.close());
  return fake;
}

describe('lookup', () => {
  it('sends every MAC and the uuid, and reads node, token and timeout', async () => {
    const fake = await conductor({ lookup: [lookupAnswer({ heartbeat_timeout: 60 })] });
    const client = createConductorClient({ api: [`${fake.url}/v1/`], inspection: null });
    const answer = await client.lookup(['52:54:00:00:00:01', '52:54:00:00:00:02'], NODE_UUID, signal);
    expect(answer).toMatchObject({ node: { uuid: NODE_UUID }, heartbeatTimeoutSeconds: 60, token: TOKEN });
    expect(fake.seen).toEqual([
      {
        method: 'GET',
        path: '/v1/lookup',
        query: { addresses: '52:54:00:00:00:01,52:54:00:00:00:02', node_uuid: NODE_UUID },
        version: '1.62',
        body: null,
      },
    ]);
  });

  it('leaves the uuid out when none is known', async () => {
    const fake = await conductor({ lookup: [lookupAnswer()] });
    await createConductorClient({ api: [fake.url], inspection: null }).lookup(
      ['52:54:00:00:00:01'],
      null,
      signal,
    );
    expect(fake.seen[0]?.query).toEqual({ addresses: '52:54:00:00:00:01' });
  });

  it.each([undefined, null, 0, -5, 'soon', Number.NaN])(
    'takes 300 s for a timeout of %s',
    async (timeout) => {
      const fake = await conductor({ lookup: [lookupAnswer({ heartbeat_timeout: timeout })] });
      const answer = await createConductorClient({ api: [fake.url], inspection: null }).lookup(
        [],
        NODE_UUID,
        signal,
      );
      expect(answer.heartbeatTimeoutSeconds).toBe(300);
    },
  );

  it.each<[string, FakeAnswer, string]>([
    ['a refusal', refusal(404, 'Node was not found'), 'HTTP 404: Node was not found'],
    ['a proxy', { status: 502, text: '<html>Bad gateway</html>' }, 'HTTP 502'],
    ['a plain error', { status: 500, body: { error_message: { title: 'Oops' } } }, 'HTTP 500: Oops'],
    ['a redirect', { status: 302 }, 'HTTP 302'],
    [
      'another server',
      { text: '<html>hello</html>' },
      'HTTP 200, but no JSON: is this the URL of a conductor?',
    ],
    ['no node in it', { body: { config: {} } }, 'the lookup answer contains no node'],
    ['null', { body: null }, 'the lookup answer contains no node'],
    ['a list', { body: [] }, 'the lookup answer contains no node'],
    ['nothing', {}, 'the lookup answer contains no node'],
  ])('says what was wrong with %s', async (_, answer, message) => {
    const fake = await conductor({ lookup: [answer] });
    await expect(
      createConductorClient({ api: [fake.url], inspection: null }).lookup([], NODE_UUID, signal),
    ).rejects.toThrow(message);
  });

  it('limits the size of an answer', async () => {
    const fake = await conductor({ lookup: [{ text: ' '.repeat(5 * 1024 * 1024) }] });
    await expect(
      createConductorClient({ api: [fake.url], inspection: null }).lookup([], NODE_UUID, signal),
    ).rejects.toThrow(/size/i);
  });
});

describe('several conductors', () => {
  it('tries the next URL when one does not answer, and keeps the one that answers', async () => {
    const dead = await startFakeConductor({});
    await dead.close();
    const fake = await conductor({ lookup: [lookupAnswer()], heartbeat: [{ status: 202 }] });
    const client = createConductorClient({ api: [dead.url, fake.url], inspection: null });
    await client.lookup([], NODE_UUID, signal);
    await client.heartbeat(NODE_UUID, BEAT, signal);
    expect(fake.seen.map(({ path }) => path)).toEqual(['/v1/lookup', `/v1/heartbeat/${NODE_UUID}`]);
  });

  it('treats an error answer as an answer', async () => {
    const first = await conductor({ lookup: [refusal(404, 'Node was not found')] });
    const second = await conductor({ lookup: [lookupAnswer()] });
    const client = createConductorClient({ api: [first.url, second.url], inspection: null });
    await expect(client.lookup([], NODE_UUID, signal)).rejects.toMatchObject({ status: 404 });
    expect(second.seen).toEqual([]);
  });

  it('names all URLs when none answers', async () => {
    const [one, two] = [
      await conductor({ lookup: [{ cut: true }] }),
      await conductor({ lookup: [{ cut: true }] }),
    ];
    await expect(
      createConductorClient({ api: [one.url, two.url], inspection: null }).lookup([], null, signal),
    ).rejects.toThrow(new RegExp(`^${one.url}: .+; ${two.url}: .+$`));
  });
});

describe('heartbeat', () => {
  it('posts its body with the token, and accepts 202 without a body', async () => {
    const fake = await conductor({ heartbeat: [{ status: 202 }] });
    const body = { callback_url: 'http://192.0.2.9:9999', agent_version: 'ingot/1', agent_token: TOKEN };
    await createConductorClient({ api: [fake.url], inspection: null }).heartbeat(NODE_UUID, BEAT, signal);
    expect(fake.seen).toEqual([
      { method: 'POST', path: `/v1/heartbeat/${NODE_UUID}`, query: {}, version: '1.68', body },
    ]);
  });

  it('throws HttpError 409', async () => {
    const fake = await conductor({ heartbeat: [refusal(409, 'Node is locked')] });
    await expect(
      createConductorClient({ api: [fake.url], inspection: null }).heartbeat(NODE_UUID, BEAT, signal),
    ).rejects.toMatchObject({
      status: 409,
      message: 'HTTP 409: Node is locked',
    });
  });

  it('has no token in any error text', async () => {
    const silent = await conductor({ heartbeat: [{ cut: true }] });
    const client = createConductorClient({ api: [silent.url], inspection: null });
    const error = await client.heartbeat(NODE_UUID, BEAT, signal).catch((e: Error) => e);
    expect(error).toBeInstanceOf(Error);
    expect(String(error)).not.toContain(TOKEN);
  });
});

describe('inspection', () => {
  it.each([
    [{ uuid: NODE_UUID }, NODE_UUID],
    [{ node: { uuid: NODE_UUID }, config: {} }, NODE_UUID],
    [{}, null],
    [undefined, null],
  ])('takes the uuid of %j', async (body, uuid) => {
    const fake = await conductor({ continue_inspection: [{ status: 202, ...(body && { body }) }] });
    const url = `${fake.url}/v1/continue_inspection`;
    const data: Inspection = {
      inventory: { hostname: 'found' } as Inspection['inventory'],
      bootInterface: null,
      collectors: ['default'],
    };
    const client = createConductorClient({ api: [], inspection: url });
    expect(await client.inspection(data, signal)).toBe(uuid);
    expect(fake.seen[0]).toMatchObject({
      method: 'POST',
      body: {
        inventory: { hostname: 'found' },
        boot_interface: null,
        configuration: { collectors: ['default'], managers: [] },
      },
    });
  });
});
