import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createTestApi, type TestApi } from '../../../test/fakes/api.ts';
import { type Call, createCall } from '../../../test/fakes/api-client.ts';

let test: TestApi;
let call: Call;
beforeAll(async () => {
  test = await createTestApi();
  call = createCall(test.api);
});
afterAll(() => test.close());

const LIMIT_MS = 5_000;

async function until(uuid: string, state: string): Promise<void> {
  const deadline = Date.now() + LIMIT_MS;
  for (;;) {
    const { body } = await call('GET', `/v1/nodes/${uuid}`);
    if (body.provision_state === state && body.reservation === null) return;
    if (Date.now() > deadline) throw new Error(`${body.provision_state}, not ${state}: ${body.last_error}`);
    await sleep(2);
  }
}

const ask = (uuid: string, body: object, minor?: number) =>
  call('PUT', `/v1/nodes/${uuid}/states/provision`, body, minor === undefined ? {} : { minor });

async function go(uuid: string, body: { readonly target: string }, state: string): Promise<void> {
  expect(await ask(uuid, body)).toMatchObject({ status: 202 });
  await until(uuid, state);
}

async function node(state: 'manageable' | 'available' | 'active', fields: object = {}): Promise<string> {
  const { body } = await call('POST', '/v1/nodes', { driver: 'fake-hardware', ...fields });
  const way = [
    ['manage', 'manageable'],
    ['provide', 'available'],
    ['active', 'active'],
  ] as const;
  for (const [target, next] of way) {
    await go(body.uuid, { target }, next);
    if (next === state) break;
  }
  return body.uuid;
}

describe('the life of a node over the API', () => {
  it('can be rescued, and the password is never shown', async () => {
    const uuid = await node('active');
    const password = 'correct horse battery';
    await test.store.nodes.update(uuid, { driverInfo: { fake_wait: { 'rescue.rescue': 0.05 } } }, new Date());
    expect((await ask(uuid, { target: 'rescue', rescue_password: password })).status).toBe(202);
    await until(uuid, 'rescue wait');
    const seen = async () =>
      JSON.stringify([
        (await call('GET', `/v1/nodes/${uuid}`)).body,
        (await call('GET', `/v1/nodes/${uuid}/states`)).body,
        (await call('GET', `/v1/nodes/${uuid}/history?detail=true`)).body,
        (await call('GET', `/ingot/v1/nodes/${uuid}/timeline`, undefined, { minor: null })).body,
      ]);
    expect(await seen()).not.toContain(password);
    await until(uuid, 'rescue');
    expect(await seen()).not.toContain(password);
    await go(uuid, { target: 'unrescue' }, 'active');
  });

  it('takes deploy steps from a template', async () => {
    const uuid = await node('available');
    const steps = [{ interface: 'vendor', step: 'log_passthrough', args: {}, priority: 150 }];
    const template = await call('POST', '/v1/deploy_templates', { name: 'CUSTOM_LOGGED', steps });
    expect(template.status).toBe(201);
    await call('PATCH', `/v1/nodes/${uuid}`, [
      { op: 'add', path: '/instance_info/traits', value: ['CUSTOM_LOGGED'] },
    ]);
    await go(uuid, { target: 'active' }, 'active');
    const { body } = await call('GET', `/ingot/v1/nodes/${uuid}/timeline`, undefined, { minor: null });
    const deploy = body.operations.find(({ kind }: { kind: string }) => kind === 'deploy');
    expect(deploy.steps.map(({ step }: { step: string }) => step)).toEqual(['log_passthrough', 'deploy']);
  });

  it('cleans manually, without the ramdisk from 1.70 on', async () => {
    const uuid = await node('manageable');
    const clean_steps = [{ interface: 'bios', step: 'factory_reset' }];
    await go(uuid, { target: 'clean', ...{ clean_steps, disable_ramdisk: 'yes' } }, 'manageable');
    const unknown = [{ interface: 'deploy', step: 'erase_with_fire' }];
    expect(await ask(uuid, { target: 'clean', clean_steps: unknown, disable_ramdisk: true })).toMatchObject({
      status: 400,
      error: expect.stringContaining('disable_ramdisk keeps the agent away'),
    });
  });

  it('shows the step that failed, the maintenance and the fault', async () => {
    const uuid = await node('manageable', { driver_info: { fake_fail: ['deploy.erase_devices'] } });
    await go(uuid, { target: 'provide' }, 'clean failed');
    const { body } = await call('GET', `/v1/nodes/${uuid}`);
    expect(body).toMatchObject({
      target_provision_state: 'available',
      maintenance: true,
      fault: 'clean failure',
      last_error: expect.stringMatching(/^clean step deploy\.erase_devices failed/),
    });
  });

  it('refuses what would end a protected node with 403', async () => {
    const uuid = await node('active');
    await call('PATCH', `/v1/nodes/${uuid}`, [{ op: 'replace', path: '/protected', value: true }]);
    expect((await ask(uuid, { target: 'deleted' })).status).toBe(403);
    expect((await ask(uuid, { target: 'rebuild' })).status).toBe(403);
    expect((await call('DELETE', `/v1/nodes/${uuid}`)).status).toBe(403);
  });

  it('services a node with its firmware, on hold in between, and shows the step', async () => {
    const uuid = await node('active');
    expect((await ask(uuid, { target: 'unhold' }, 84)).status).toBe(406);
    const update = { settings: [{ component: 'bios', url: 'http://files.example/bios-2.1.bin' }] };
    const service_steps = [
      { interface: 'firmware', step: 'update', args: update, order: 2 },
      { interface: 'deploy', step: 'hold', order: 1 },
    ];
    expect((await ask(uuid, { target: 'service', service_steps }, 91)).error).toContain('"order" of a step');
    await go(uuid, { target: 'service', ...{ service_steps } }, 'service hold');
    expect((await call('GET', `/v1/nodes/${uuid}`)).body.service_step).toMatchObject({ step: 'hold' });
    expect((await call('GET', `/v1/nodes/${uuid}`, undefined, { minor: 86 })).body).not.toHaveProperty(
      'service_step',
    );
    await go(uuid, { target: 'unhold' }, 'active');
    expect((await call('GET', `/v1/nodes/${uuid}`)).body).toMatchObject({
      service_step: {},
      last_error: null,
    });
    const { firmware } = (await call('GET', `/v1/nodes/${uuid}/firmware`)).body;
    expect(firmware).toMatchObject([
      { component: 'bmc', initial_version: '1.0', current_version: '1.0', last_version_flashed: null },
      {
        component: 'bios',
        current_version: 'bios-2.1.bin',
        updated_at: expect.stringMatching(/T.*\+00:00$/),
      },
    ]);
  });

  it('services without the ramdisk from 1.108 on', async () => {
    const uuid = await node('active');
    const request = {
      target: 'service',
      service_steps: [{ interface: 'bios', step: 'factory_reset' }],
      disable_ramdisk: true,
    };
    expect((await ask(uuid, request, 107)).error).toContain('1.108');
    await go(uuid, request, 'active');
  });

  it('has the display name as instance name until the instance is deleted', async () => {
    const uuid = await node('active');
    const patch = (path: string, value: unknown) =>
      call('PATCH', `/v1/nodes/${uuid}`, [{ op: 'add', path, value }]);
    expect((await patch('/instance_info/display_name', 'web-1')).body.instance_name).toBe('web-1');
    expect((await patch('/instance_info/display_name', 'web-2')).body.instance_name).toBe('web-1');
    expect((await patch('/instance_name', 'web-3')).body.instance_name).toBe('web-3');
    const named = async (name: string, minor = 104) =>
      (await call('GET', `/v1/nodes?instance_name=${name}`, undefined, { minor })).body.nodes?.length;
    expect([await named('web-3'), await named('web-1'), await named('web-3', 103)]).toEqual([
      1,
      0,
      undefined,
    ]);
    await go(uuid, { target: 'deleted' }, 'available');
    expect((await call('GET', `/v1/nodes/${uuid}`)).body.instance_name).toBeNull();
  });
});
