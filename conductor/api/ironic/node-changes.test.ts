import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createTestApi, type TestApi } from '../../../test/fakes/api.ts';
import { type Call, createCall } from '../../../test/fakes/api-client.ts';
import type { NodePatch } from '../../domain/node.ts';

let test: TestApi;
let call: Call;
let uuid: string;
beforeAll(async () => {
  test = await createTestApi();
  call = createCall(test.api);
});
afterAll(() => test.close());
beforeEach(async () => {
  const { body } = await call('POST', '/v1/nodes', {
    driver: 'fake-hardware',
    driver_info: { ipmi_address: '192.0.2.1', ipmi_password: 'pw' },
    extra: { a: 1 },
  });
  uuid = body.uuid;
});

const set = (patch: NodePatch) => test.store.nodes.update(uuid, patch, new Date());
const patch = (operations: unknown, minor?: number) =>
  call('PATCH', `/v1/nodes/${uuid}`, operations, minor === undefined ? {} : { minor });
const replace = (path: string, value: unknown) => [{ op: 'replace', path, value }];

describe('PATCH /v1/nodes/{node}', () => {
  it('answers with the changed node', async () => {
    const answer = await patch([
      { op: 'add', path: '/name', value: 'renamed' },
      { op: 'add', path: '/extra/b', value: [1] },
      { op: 'replace', path: '/retired', value: 'yes' },
      { op: 'remove', path: '/driver_info/ipmi_address' },
      { op: 'add', path: '/conductor_group', value: '' },
    ]);
    expect(answer).toMatchObject({
      status: 200,
      body: {
        name: 'renamed',
        extra: { a: 1, b: [1] },
        retired: true,
        driver_info: { ipmi_password: '******' },
        conductor_group: '',
      },
    });
    expect((await test.store.nodes.find(uuid))?.driverInfo).toEqual({ ipmi_password: 'pw' });
  });

  it('resets a root field that is removed', async () => {
    await patch([{ op: 'add', path: '/name', value: `n${uuid}` }, ...replace('/deploy_interface', 'direct')]);
    const { body } = await patch(
      ['/name', '/extra', '/deploy_interface', '/properties'].map((path) => ({ op: 'remove', path })),
    );
    expect(body).toMatchObject({ name: null, extra: {}, deploy_interface: 'fake', properties: {} });
  });

  it('keeps a secret whose mask is sent back, and rejects a mask without a secret', async () => {
    const echoed = { ipmi_address: '192.0.2.9', ipmi_password: '******' };
    expect((await patch(replace('/driver_info', echoed))).status).toBe(200);
    expect((await test.store.nodes.find(uuid))?.driverInfo).toEqual({
      ipmi_address: '192.0.2.9',
      ipmi_password: 'pw',
    });
    expect(
      (await patch([{ op: 'add', path: '/driver_info/snmp_auth_key', value: '******' }])).error,
    ).toContain('mask');
  });

  it('saves nothing when one operation fails', async () => {
    const answer = await patch([...replace('/description', 'new'), { op: 'remove', path: '/extra/zz' }]);
    expect(answer.status).toBe(400);
    expect((await test.store.nodes.find(uuid))?.description).toBeNull();
  });

  it.each<[string, unknown, number, string]>([
    ['uuid', replace('/uuid', 'x'), 400, 'Cannot patch /uuid'],
    ['traits', replace('/traits', []), 400, 'Cannot patch /traits'],
    ['provision_state', replace('/provision_state', 'active'), 400, 'Cannot patch'],
    ['boot_mode', replace('/boot_mode', 'uefi'), 400, 'Cannot patch'],
    ['the test operation', [{ op: 'test', path: '/name', value: null }], 400, 'add, replace, remove'],
    ['an object', {}, 400, 'JSON array'],
    ['a wrong type', replace('/properties', []), 400, 'properties must be an object'],
    ['driver taken away', [{ op: 'remove', path: '/driver' }], 400, 'driver'],
    ['an unknown driver', replace('/driver', 'magic'), 400, 'magic'],
    ['an unknown interface', replace('/power_interface', 'magic'), 400, 'power_interface'],
    ['a reserved name', replace('/name', 'states'), 400, 'reserved'],
    ['a long description', replace('/description', 'x'.repeat(4097)), 400, '4096'],
    ['a chassis', replace('/chassis_uuid', '6a8b3c1e-0000-4000-8000-00000000ffff'), 400, 'Chassis'],
    ['protected in enroll', replace('/protected', true), 409, '"active" or "rescue"'],
  ])('refuses %s', async (_, operations, status, text) => {
    expect(await patch(operations)).toMatchObject({ status, error: expect.stringContaining(text) });
  });

  it('follows versions', async () => {
    expect((await patch(replace('/shard', 's'), 81)).status).toBe(406);
    const reset = `/v1/nodes/${uuid}?reset_interfaces=true`;
    expect((await call('PATCH', reset, replace('/driver', 'ipmi'), { minor: 44 })).status).toBe(406);
    expect((await call('PATCH', reset, replace('/name', 'x'))).error).toContain("changing the node's driver");
    const moved = await call('PATCH', reset, replace('/driver', 'ipmi'));
    expect(moved.body).toMatchObject({
      driver: 'ipmi',
      power_interface: 'ipmitool',
      deploy_interface: 'direct',
    });
  });

  it('waits for a transition to end, except where Ironic does not', async () => {
    await set({ provisionState: 'deploying', targetProvisionState: 'active' });
    expect((await patch(replace('/extra/a', 2))).status).toBe(409);
    await set({ provisionState: 'deploy failed' });
    expect((await patch(replace('/extra/a', 2))).status).toBe(200);
    await set({ provisionState: 'inspecting', targetProvisionState: 'manageable' });
    expect((await patch(replace('/extra/a', 3))).status).toBe(409);
    expect((await patch(replace('/extra/a', 3), 38)).status).toBe(200);
  });
});

describe('maintenance', () => {
  it('is set with a reason and cleared with the fault, by PUT and by PATCH', async () => {
    expect(await call('PUT', `/v1/nodes/${uuid}/maintenance`, { reason: 'disk' })).toMatchObject({
      status: 202,
      body: undefined,
    });
    await set({ fault: 'power failure' });
    expect((await call('GET', `/v1/nodes/${uuid}`)).body).toMatchObject({
      maintenance: true,
      maintenance_reason: 'disk',
      fault: 'power failure',
    });
    const cleared = { maintenance: false, maintenance_reason: null, fault: null };
    expect((await patch(replace('/maintenance', false))).body).toMatchObject(cleared);
    expect((await call('PUT', `/v1/nodes/${uuid}/maintenance`)).status).toBe(202);
    expect((await call('DELETE', `/v1/nodes/${uuid}/maintenance`)).status).toBe(202);
    expect((await call('GET', `/v1/nodes/${uuid}`)).body).toMatchObject(cleared);
    expect((await call('PUT', `/v1/nodes/${uuid}/maintenance`, { why: 'x' })).error).toContain(
      'Unexpected arguments: why',
    );
  });
});

describe('boot device', () => {
  it('is shown, set and listed', async () => {
    const path = `/v1/nodes/${uuid}/management/boot_device`;
    expect((await call('GET', `${path}/supported`)).body).toEqual({ supported_boot_devices: ['pxe'] });
    expect(await call('PUT', path, { boot_device: 'pxe', persistent: 'true' })).toMatchObject({
      status: 204,
      body: undefined,
    });
    expect((await call('GET', path)).body).toEqual({ boot_device: 'pxe', persistent: true });
    expect((await call('PUT', path, { boot_device: 'toaster' })).status).toBe(400);
    expect((await call('PUT', path, {})).error).toContain('Missing mandatory parameter: boot_device');
    expect((await call('PUT', path, { boot_device: 'pxe', persistent: 'often' })).status).toBe(400);
  });
});

describe('states', () => {
  const states = () => call('GET', `/v1/nodes/${uuid}/states`);
  const provision = (body: unknown, minor?: number) =>
    call('PUT', `/v1/nodes/${uuid}/states/provision`, body, minor === undefined ? {} : { minor });
  const power = (body: unknown, minor?: number) =>
    call('PUT', `/v1/nodes/${uuid}/states/power`, body, minor === undefined ? {} : { minor });
  const until = async (state: string) => {
    await expect.poll(async () => (await states()).body.provision_state, { interval: 5 }).toBe(state);
  };

  it('are shown by version', async () => {
    const keys = [
      'console_enabled',
      'last_error',
      'power_state',
      'provision_state',
      'provision_updated_at',
      'target_power_state',
      'target_provision_state',
    ];
    expect(
      Object.keys((await call('GET', `/v1/nodes/${uuid}/states`, undefined, { minor: 11 })).body).toSorted(),
    ).toEqual(keys);
    expect((await states()).body).toMatchObject({ boot_mode: null, raid_config: {} });
  });

  it('power changes are accepted with a location and no body', async () => {
    const answer = await power({ target: 'power on' });
    expect(answer).toMatchObject({ status: 202, body: undefined });
    expect(answer.headers['location']).toBe(`http://127.0.0.1/v1/nodes/${uuid}/states`);
    await expect.poll(async () => (await states()).body.power_state, { interval: 5 }).toBe('power on');
  });

  it.each<[string, unknown, number | undefined, number]>([
    ['an unknown target', { target: 'power up' }, undefined, 400],
    ['no target', {}, undefined, 400],
    ['a timeout of 0', { target: 'power on', timeout: 0 }, undefined, 400],
    ['a timeout of text', { target: 'power on', timeout: 'x' }, undefined, 400],
    ['soft power off before 1.27', { target: 'soft power off' }, 26, 406],
    ['a timeout before 1.27', { target: 'power on', timeout: 5 }, 26, 406],
  ])('power refuses %s', async (_, body, minor, status) => {
    expect((await power(body, minor)).status).toBe(status);
  });

  it('refuse power while cleaning', async () => {
    await set({ provisionState: 'clean wait' });
    expect((await power({ target: 'power off' })).status).toBe(400);
  });

  it('deploy a node and delete its instance', async () => {
    expect(await provision({ target: 'manage' })).toMatchObject({ status: 202, body: undefined });
    await until('manageable');
    await provision({ target: 'provide' });
    await until('available');
    const drive = { meta_data: { a: 1 }, user_data: 'x' };
    expect((await provision({ target: 'active', configdrive: drive })).status).toBe(202);
    await until('active');
    expect((await call('GET', `/v1/nodes/${uuid}`)).body.instance_info).toEqual({ configdrive: '******' });
    await provision({ target: 'deleted' });
    await until('available');
    const { body } = await call('GET', `/ingot/v1/nodes/${uuid}/timeline`, undefined, { minor: null });
    expect(body.node).toMatchObject({ uuid, provision_state: 'available' });
    expect(body.operations.map(({ kind }: { kind: string }) => kind)).toContain('deploy');
    const deploy = body.operations.find(({ kind }: { kind: string }) => kind === 'deploy');
    expect(deploy).toMatchObject({
      state: 'done',
      error: null,
      steps: [{ interface: 'deploy', step: 'deploy', state: 'done' }],
    });
    expect(JSON.stringify(body)).not.toContain('configdrive');
  });

  it('an illegal verb names the legal ones', async () => {
    expect(await provision({ target: 'provide' })).toMatchObject({
      status: 400,
      error: expect.stringContaining('Legal now: manage'),
    });
  });

  it.each<[string, unknown, number | undefined, number, string]>([
    ['an unknown verb', { target: 'fly' }, undefined, 400, 'could not be understood'],
    ['no verb', {}, undefined, 400, 'Missing mandatory parameter: target'],
    ['an unknown key', { target: 'manage', speed: 1 }, undefined, 400, 'Unexpected arguments: speed'],
    ['manage before 1.4', { target: 'manage' }, 3, 406, '1.4'],
    ['deploy before 1.73', { target: 'deploy' }, 72, 406, '1.73'],
    [
      'service before 1.87',
      { target: 'service', service_steps: [{ interface: 'bios', step: 'factory_reset' }] },
      86,
      406,
      '1.87',
    ],
    ['a runbook before 1.92', { target: 'clean', runbook: 'CUSTOM_X' }, 91, 406, '1.92'],
    ['a runbook with manage', { target: 'manage', runbook: 'x' }, undefined, 400, 'to clean, service'],
    ['clean without steps', { target: 'clean' }, undefined, 400, 'non-empty "clean_steps" or "runbook"'],
    [
      'clean with no steps',
      { target: 'clean', clean_steps: [] },
      undefined,
      400,
      'non-empty "clean_steps" or "runbook"',
    ],
    [
      'clean steps with manage',
      { target: 'manage', clean_steps: [] },
      undefined,
      400,
      'only valid when setting target provision state to clean',
    ],
    [
      'a clean step without its name',
      { target: 'clean', clean_steps: [{ interface: 'deploy' }] },
      undefined,
      400,
      'step',
    ],
    [
      'rescue with a blank password',
      { target: 'rescue', rescue_password: ' ' },
      undefined,
      400,
      'non-empty "rescue_password"',
    ],
    ['deploy_steps before 1.69', { target: 'active', deploy_steps: [] }, 68, 406, '1.69'],
    [
      'a drive with manage',
      { target: 'manage', configdrive: 'aGk=' },
      undefined,
      400,
      '"configdrive" is only valid',
    ],
    [
      'a drive that is nothing',
      { target: 'active', configdrive: '{"meta' },
      undefined,
      400,
      'neither a JSON, nor a URL, nor a base64',
    ],
    ['a drive object before 1.56', { target: 'active', configdrive: {} }, 55, 400, '1.56'],
    ['vendor data before 1.59', { target: 'active', configdrive: { vendor_data: {} } }, 58, 400, '1.59'],
    [
      'an unknown drive part',
      { target: 'active', configdrive: { colour: {} } },
      undefined,
      400,
      'unknown key "colour"',
    ],
    [
      'a wrong drive part',
      { target: 'active', configdrive: { meta_data: 1 } },
      undefined,
      400,
      'meta_data has the wrong type',
    ],
    [
      'disable_ramdisk',
      { target: 'clean', clean_steps: [{ interface: 'deploy', step: 'x' }], disable_ramdisk: 'perhaps' },
      undefined,
      400,
      '"disable_ramdisk" must be true or false',
    ],
    [
      'disable_ramdisk before 1.70',
      { target: 'clean', clean_steps: [{ interface: 'deploy', step: 'x' }], disable_ramdisk: true },
      69,
      406,
      '1.70',
    ],
    [
      'a hold, which nobody could end before 1.85',
      { target: 'clean', clean_steps: [{ interface: 'deploy', step: 'hold' }] },
      84,
      406,
      '1.85',
    ],
  ])('refuse %s', async (_, body, minor, status, text) => {
    expect(await provision(body, minor)).toMatchObject({ status, error: expect.stringContaining(text) });
  });

  it('keeps abort of an inspection from clients before 1.41', async () => {
    await set({ provisionState: 'inspect wait', targetProvisionState: 'manageable' });
    expect((await call('GET', `/v1/nodes/${uuid}`, undefined, { minor: 38 })).body.provision_state).toBe(
      'inspecting',
    );
    expect((await provision({ target: 'abort' }, 40)).status).toBe(406);
    expect((await provision({ target: 'abort' }, 41)).status).toBe(202);
    await until('inspect failed');
  });
});
