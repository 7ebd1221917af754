import type { JsonObject } from '@ingot/shared/json.ts';
import type { InjectOptions } from 'fastify';
import { describe, expect, it, onTestFinished } from 'vitest';
import { type AgentHardware, createAgentHardware } from '../../test/fakes/agent/agent-hardware.ts';
import { fc } from '../../test/random-cases.ts';
import { COMMANDS, type Command, MANAGER, MANAGER_VERSION } from '../commands.ts';
import { VERSION } from '../version.ts';
import { createCommandLog } from './command-log.ts';
import { BODY_LIMIT_BYTES, createServer } from './server.ts';

const TOKEN = 'the-token-of-this-boot';
const IMAGE = { id: 'img', urls: ['http://images/1'], os_hash_algo: 'md5', os_hash_value: 'a'.repeat(32) };

function agent(
  options: {
    readonly table?: Readonly<Record<string, Command>>;
    readonly hardware?: AgentHardware;
    readonly token?: string | null;
  } = {},
) {
  const { table = COMMANDS, hardware = createAgentHardware({}), token = TOKEN } = options;
  let ended = 0;
  const commands = createCommandLog({
    hardware,
    signal: new AbortController().signal,
    onEnd: () => {
      ended += 1;
    },
    node: () => ({ uuid: 'n', properties: { from: 'lookup' } }),
  });
  const app = createServer({ commands, table, token: () => token, startedAt: new Date(1_700_000_000_500) });
  onTestFinished(() => app.close());
  const call = async (url: string, more: Omit<InjectOptions, 'url'> = {}) => {
    const answer = await app.inject({ url, headers: { host: '192.0.2.7:9999' }, ...more });
    return { status: answer.statusCode, body: answer.json() };
  };
  const post = (body: unknown, query = `agent_token=${TOKEN}`) =>
    call(`/v1/commands/?${query}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      payload: typeof body === 'string' ? body : JSON.stringify(body),
    });
  const get = (path: string, query = '') => call(`${path}?agent_token=${TOKEN}${query}`);
  return { app, call, post, get, hardware, ended: () => ended };
}

/** A command that runs until the test ends it. */
function heldCommand(kind: Command['kind'] = 'async') {
  const gate = Promise.withResolvers<unknown>();
  const run = async (): Promise<unknown> => {
    const end = await gate.promise;
    if (end instanceof Error) throw end;
    return end;
  };
  const command: Command = { kind, params: {}, run };
  return { gate, table: { 'standby.hold': command, 'clean.hold': command } };
}

describe('routes without a token', () => {
  it('returns its name and version at /', async () => {
    const version = {
      id: 'v1',
      links: [
        { href: 'http://192.0.2.7:9999/v1', rel: 'self' },
        { href: 'https://docs.openstack.org/ironic-python-agent/', rel: 'describedby', type: 'text/html' },
      ],
    };
    expect(await agent().call('/')).toEqual({
      status: 200,
      body: {
        name: 'OpenStack Ironic Python Agent API',
        description: expect.any(String),
        versions: [version],
        default_version: version,
      },
    });
  });

  it.each(['/v1', '/v1/'])('links its resources at %s', async (path) => {
    const { body } = await agent().call(path);
    expect(body).toMatchObject({
      id: 'v1',
      commands: [
        { href: 'http://192.0.2.7:9999/v1/commands', rel: 'self' },
        { href: 'http://192.0.2.7:9999/commands', rel: 'bookmark' },
      ],
      status: [
        { href: 'http://192.0.2.7:9999/v1/status', rel: 'self' },
        { href: 'http://192.0.2.7:9999/status', rel: 'bookmark' },
      ],
      media_types: [
        { base: 'application/json', type: 'application/vnd.openstack.ironic-python-agent.v1+json' },
      ],
    });
  });

  it.each(['/v1/status', '/v1/status/', '/status'])('tells when it started at %s', async (path) => {
    expect(await agent().call(path)).toEqual({
      status: 200,
      body: { started_at: 1_700_000_000.5, version: VERSION },
    });
  });

  it.each(['/v2', '/v1/nodes', '/v1/commands/a/b'])('has nothing at %s', async (path) => {
    expect(await agent().call(path)).toEqual({
      status: 404,
      body: { faultcode: 'Client', faultstring: 'The requested URL was not found' },
    });
  });
});

describe('the token', () => {
  it.each([
    ['none', ''],
    ['a wrong one', 'agent_token=wrong'],
    ['a longer one', `agent_token=${TOKEN}x`],
    ['an empty one', 'agent_token='],
    ['it twice', `agent_token=${TOKEN}&agent_token=${TOKEN}`],
  ])('is refused with 401: %s', async (_, query) => {
    const { call, post, hardware } = agent();
    const refusals = await Promise.all([
      call(`/v1/commands/?${query}`),
      call(`/v1/commands/some-id?${query}`),
      post({ name: 'standby.sync', params: {} }, query),
    ]);
    for (const { status, body } of refusals) {
      expect(status).toBe(401);
      expect(body).toEqual({
        faultcode: 'Client',
        faultstring: 'Unauthorized: agent_token is missing or wrong',
      });
    }
    expect(hardware.started).toEqual([]);
  });

  it.each(['', 'agent_token=', 'agent_token=null'])(
    'without an agreed token, every command is refused ("%s")',
    async (query) => {
      expect((await agent({ token: null }).call(`/v1/commands?${query}`)).status).toBe(401);
    },
  );

  it('is checked before a body is read', async () => {
    const { call } = agent();
    const answer = await call('/v1/commands', { method: 'POST', payload: '{ not JSON' });
    expect(answer.status).toBe(401);
  });
});

describe('a command', () => {
  it('that is sync answers 200 with its result', async () => {
    const { post, get, hardware } = agent();
    const { status, body } = await post({ name: 'standby.sync', params: {} });
    expect(status).toBe(200);
    expect(body).toEqual({
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      command_name: 'sync',
      command_status: 'SUCCEEDED',
      command_error: null,
      command_result: null,
    });
    expect(hardware.started).toEqual([['sync']]);
    expect(await get(`/v1/commands/${(body as { id: string }).id}`)).toEqual({ status: 200, body });
  });

  it('that is sync and fails also answers 200, with the error', async () => {
    const { post } = agent({
      hardware: createAgentHardware({ outputs: { sync: new Error('sync failed (5): Input/output error') } }),
    });
    expect(await post({ name: 'standby.sync', params: {} })).toMatchObject({
      status: 200,
      body: {
        command_status: 'FAILED',
        command_result: null,
        command_error: {
          type: 'CommandExecutionError',
          code: 500,
          message: 'Command execution failed',
          details: 'sync failed (5): Input/output error',
        },
      },
    });
  });

  it('that is async is RUNNING at once, then SUCCEEDED, and its end is reported', async () => {
    const { gate, table } = heldCommand();
    const { post, get, ended } = agent({ table });
    const { body } = await post({ name: 'standby.hold', params: {} });
    expect(body).toMatchObject({ command_name: 'hold', command_status: 'RUNNING', command_result: null });
    expect(ended()).toBe(0);
    const path = `/v1/commands/${(body as { id: string }).id}`;
    expect((await get(path)).body).toMatchObject({ command_status: 'RUNNING' });
    expect((await get(path, '&wait=false')).body).toMatchObject({ command_status: 'RUNNING' });
    const waiting = get(path, '&wait=True');
    gate.resolve('all done');
    expect((await waiting).body).toMatchObject({
      command_status: 'SUCCEEDED',
      command_result: { result: 'hold: all done' },
    });
    expect(ended()).toBe(1);
  });

  it('that is async is awaited with wait=true', async () => {
    const { gate, table } = heldCommand();
    const { post } = agent({ table });
    const answer = post({ name: 'standby.hold', params: {} }, `wait=true&agent_token=${TOKEN}`);
    gate.resolve(new Error('the disk is gone'));
    expect((await answer).body).toMatchObject({
      command_status: 'FAILED',
      command_error: { type: 'CommandExecutionError', details: 'the disk is gone' },
    });
  });

  it('the text of a sync one does not begin with its name', async () => {
    const { gate, table } = heldCommand('sync');
    gate.resolve('done');
    expect((await agent({ table }).post({ name: 'standby.hold', params: {} })).body).toMatchObject({
      command_result: { result: 'done' },
    });
  });

  it('is rejected with 409 while another runs, whatever its extension, and is not listed', async () => {
    const { gate, table } = heldCommand();
    const { post, get } = agent({ table });
    await post({ name: 'standby.hold', params: {} });
    expect(await post({ name: 'clean.hold', params: {} })).toEqual({
      status: 409,
      body: { faultcode: 'Client', faultstring: 'Agent is busy: executing command hold' },
    });
    const { body } = await get('/v1/commands/');
    expect((body as { commands: unknown[] }).commands).toHaveLength(1);
    gate.resolve(null);
  });

  it('is listed in start order, also after a failure', async () => {
    const { post, get } = agent({
      hardware: createAgentHardware({ outputs: { sync: new Error('no') } }),
    });
    await post({ name: 'standby.sync', params: {} });
    await post({ name: 'clean.get_clean_steps', params: { node: {}, ports: [] } });
    const { body } = await get('/commands');
    const { commands } = body as { commands: JsonObject[] };
    expect(commands.map((one) => [one['command_name'], one['command_status']])).toEqual([
      ['sync', 'FAILED'],
      ['get_clean_steps', 'SUCCEEDED'],
    ]);
  });

  it('that was not started is not found', async () => {
    expect(await agent().get('/v1/commands/no-such-id')).toEqual({
      status: 404,
      body: { faultcode: 'Client', faultstring: 'Not found: Command Result with id no-such-id not found.' },
    });
  });

  it('is accepted without a content type', async () => {
    const { call } = agent();
    const answer = await call(`/v1/commands?agent_token=${TOKEN}`, {
      method: 'POST',
      headers: { 'content-type': 'text/plain' },
      payload: '{"name":"standby.sync","params":{}}',
    });
    expect(answer.status).toBe(200);
  });
});

describe('an invalid request', () => {
  const refused = async (body: unknown) => {
    const { post, get, hardware } = agent();
    const answer = await post(body);
    const { body: list } = await get('/v1/commands');
    expect((list as { commands: unknown[] }).commands).toEqual([]);
    expect(hardware.started).toEqual([]);
    return answer;
  };

  it.each<[string, unknown]>([
    ['no JSON', '{'],
    ['nothing', ''],
    ['a list', []],
    ['a number', 3],
    ['null', null],
    ['no name', { params: {} }],
    ['a name that is no string', { name: 7, params: {} }],
    ['no params', { name: 'standby.sync' }],
    ['params that are a list', { name: 'standby.sync', params: [] }],
    ['params that are null', { name: 'standby.sync', params: null }],
    ['a prototype in it', '{"name":"standby.sync","params":{"__proto__":{"polluted":true}}}'],
  ])('is 400: %s', async (_, body) => {
    const { status, body: answer } = await refused(body);
    expect(status).toBe(400);
    expect(answer).toEqual({ faultcode: 'Client', faultstring: expect.stringMatching(/./) });
  });

  it.each([
    ['sync', 'Invalid command: Command name must be of the form <extension>.<name>'],
    ['standby.make_coffee', 'Invalid command: Unknown command: standby.make_coffee'],
    ['standby.', 'Invalid command: Unknown command: standby.'],
  ])('is 400 for the command %s', async (name, faultstring) => {
    expect(await refused({ name, params: {} })).toEqual({
      status: 400,
      body: { faultcode: 'Client', faultstring },
    });
  });

  it.each(['coffee.make', 'constructor.name', '.sync'])('is 404 for the extension of %s', async (name) => {
    const { status, body } = await refused({ name, params: {} });
    expect(status).toBe(404);
    expect(body).toMatchObject({ faultstring: expect.stringContaining('Extension with id') });
  });

  it.each<[string, string, Record<string, unknown>, string]>([
    ['no image', 'standby.prepare_image', {}, 'image_info is missing'],
    ['null for an image', 'standby.prepare_image', { image_info: null }, 'image_info is missing'],
    ['an image as text', 'standby.prepare_image', { image_info: 'img' }, 'image_info must be an object'],
    ['an image as a list', 'standby.prepare_image', { image_info: [IMAGE] }, 'image_info must be an object'],
    [
      'an image without URLs',
      'standby.prepare_image',
      { image_info: { ...IMAGE, urls: [] } },
      'image_info.urls must hold at least one http(s) URL',
    ],
    [
      'an image from a file',
      'standby.prepare_image',
      { image_info: { ...IMAGE, urls: ['file:///etc/shadow'] } },
      'image_info.urls must hold at least one http(s) URL',
    ],
    [
      'a config drive that is an object',
      'standby.prepare_image',
      { image_info: IMAGE, configdrive: { meta_data: {} } },
      'configdrive must be a string',
    ],
    ['no step', 'clean.execute_clean_step', { node: {}, ports: [] }, 'step is missing'],
    ['a step as text', 'deploy.execute_deploy_step', { step: 'write_image' }, 'step must be an object'],
    [
      'a step without a name',
      'deploy.execute_deploy_step',
      { step: { interface: 'deploy' } },
      'step.step must be the name of a step',
    ],
    [
      'step arguments as text',
      'service.execute_service_step',
      { step: { step: 'x', args: 'y' } },
      'step.args must be an object',
    ],
    ['a node as text', 'clean.get_clean_steps', { node: 'n', ports: [] }, 'node must be an object'],
    ['ports as an object', 'deploy.get_deploy_steps', { node: {}, ports: {} }, 'ports must be a list'],
    [
      'a version as text',
      'clean.execute_clean_step',
      { step: { step: 'erase_devices' }, clean_version: '1' },
      'clean_version must be an object',
    ],
    [
      'a boot mode that is none',
      'image.install_bootloader',
      { target_boot_mode: 'openfirmware' },
      'target_boot_mode must be bios or uefi',
    ],
    [
      'a flag as text',
      'image.install_bootloader',
      { ignore_bootloader_failure: 'yes' },
      'ignore_bootloader_failure must be true or false',
    ],
  ])('is 400 for parameters with %s', async (_, name, params, detail) => {
    expect(await refused({ name, params })).toEqual({
      status: 400,
      body: { faultcode: 'Client', faultstring: `Invalid command parameters: ${detail}` },
    });
  });

  it('is 413 when the body is too large, before it is read', async () => {
    const { call } = agent();
    const answer = await call(`/v1/commands?agent_token=${TOKEN}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'content-length': String(BODY_LIMIT_BYTES + 1) },
      payload: '{}',
    });
    expect(answer).toMatchObject({ status: 413, body: { faultcode: 'Client' } });
  });
});

describe('steps', () => {
  it.each(['clean', 'deploy', 'service'])('are listed for %s by hardware manager', async (kind) => {
    const { body } = await agent().post({ name: `${kind}.get_${kind}_steps`, params: {} });
    const { command_result: result } = body as { command_result: Record<string, Record<string, unknown>> };
    expect(Object.keys(result).sort()).toEqual([`${kind}_steps`, 'hardware_manager_version'].sort());
    expect(Object.keys(result[`${kind}_steps`]!)).toEqual([MANAGER]);
    expect(result['hardware_manager_version']).toEqual(MANAGER_VERSION);
  });

  it('return their result and the requested step', async () => {
    const step = { step: 'erase_devices', interface: 'deploy', priority: 10 };
    const { post } = agent();
    const { body } = await post(
      {
        name: 'clean.execute_clean_step',
        params: { step, node: {}, ports: [], clean_version: MANAGER_VERSION },
      },
      `wait=true&agent_token=${TOKEN}`,
    );
    expect(body).toMatchObject({
      command_name: 'execute_clean_step',
      command_status: 'SUCCEEDED',
      command_result: { clean_result: {}, clean_step: step },
    });
  });

  it('that another version listed are not run', async () => {
    const { post, hardware } = agent();
    const { body } = await post(
      {
        name: 'clean.execute_clean_step',
        params: { step: { step: 'erase_devices' }, clean_version: { generic_hardware_manager: '1.1' } },
      },
      `wait=true&agent_token=${TOKEN}`,
    );
    expect(body).toMatchObject({
      command_status: 'CLEAN_VERSION_MISMATCH',
      command_result: null,
      command_error: { type: 'VersionMismatch', code: 409 },
    });
    expect(hardware.started).toEqual([]);
  });

  it('that are unknown fail and list the known ones', async () => {
    const { body } = await agent().post(
      { name: 'clean.execute_clean_step', params: { step: { step: 'polish' } } },
      `wait=true&agent_token=${TOKEN}`,
    );
    expect(body).toMatchObject({
      command_error: {
        details: expect.stringMatching(/^this agent has no clean step polish; it has .*erase_devices/),
      },
    });
  });
});

it.each(['bios', 'uefi'])('accepts only %s as boot mode of a boot loader', async (mode) => {
  const { post } = agent();
  const ask = (target: unknown) =>
    post(
      { name: 'image.install_bootloader', params: { target_boot_mode: target } },
      `wait=true&agent_token=${TOKEN}`,
    );
  expect(await ask(mode)).toMatchObject({ status: 200 });
  expect(await ask(`${mode}2`)).toMatchObject({
    status: 400,
    body: { faultstring: expect.stringContaining('target_boot_mode must be bios or uefi') },
  });
});

it('ignores a failing boot loader when the conductor says so', async () => {
  const { post } = agent();
  const ask = (ignored: boolean) =>
    post(
      { name: 'image.install_bootloader', params: { ignore_bootloader_failure: ignored } },
      `wait=true&agent_token=${TOKEN}`,
    );
  expect((await ask(false)).body).toMatchObject({ command_status: 'FAILED' });
  expect((await ask(true)).body).toMatchObject({
    command_status: 'SUCCEEDED',
    command_result: {
      result: expect.stringMatching(
        /^install_bootloader: not installed, ignored as ignore_bootloader_failure says: /,
      ),
    },
  });
});

it('passes the node in a command to that command', async () => {
  const seen: unknown[] = [];
  const look: Command = {
    kind: 'sync',
    params: {},
    run: async ({ node }) => {
      seen.push(node);
    },
  };
  const { post } = agent({ table: { 'x.look': look } });
  await post({ name: 'x.look', params: { node: { properties: { from: 'command' } } } });
  await post({ name: 'x.look', params: {} });
  expect(seen).toEqual([
    { uuid: 'n', properties: { from: 'command' } },
    { uuid: 'n', properties: { from: 'lookup' } },
  ]);
});

it('answers any body with 4xx', async () => {
  const { post, get } = agent();
  const name = fc.oneof(fc.string(), fc.constantFrom('standby.prepare_image', 'clean.execute_clean_step'));
  const value = fc.oneof(fc.jsonValue(), fc.constantFrom(IMAGE, { step: 'x' }));
  const params = fc.dictionary(
    fc.constantFrom('image_info', 'configdrive', 'node', 'ports', 'x'),
    fc.jsonValue(),
  );
  const body = fc.oneof(
    fc.json(),
    fc.record({ name, params: fc.oneof(params, value) }).map((one) => JSON.stringify(one)),
  );
  await fc.assert(
    fc.asyncProperty(body, async (text) => {
      const { status, body: answer } = await post(text);
      expect([400, 404]).toContain(status);
      expect(answer).toEqual({ faultcode: 'Client', faultstring: expect.any(String) });
    }),
  );
  expect((await get('/v1/commands')).body).toEqual({ commands: [] });
});
