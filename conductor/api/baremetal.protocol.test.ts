/**
 * The unmodified `baremetal` client (Debian's python3-ironicclient) drives our API.
 */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createTestApi, type TestApi } from '../../test/fakes/api.ts';

const run = promisify(execFile);
/** Debian's clients need Debian's Python, whatever comes first in PATH. */
const CLIENT = ['/usr/bin/python3', '/usr/bin/baremetal'] as const;

let test: TestApi;
let endpoint: string;
beforeAll(async () => {
  test = await createTestApi();
  endpoint = await test.api.listen({ host: '127.0.0.1', port: 0 });
});
afterAll(() => test.close());

async function baremetal(...args: string[]): Promise<string> {
  const common = [CLIENT[1], '--os-auth-type', 'none', '--os-endpoint', endpoint];
  const { stdout } = await run(CLIENT[0], [...common, ...args], {
    env: { PATH: '/usr/bin:/bin', LANG: 'C.UTF-8' },
  });
  return stdout;
}
// biome-ignore lint/suspicious/noExplicitAny: the client prints objects of every shape
const json = async (...args: string[]): Promise<any> => JSON.parse(await baremetal(...args, '-f', 'json'));
const failure = (...args: string[]): Promise<string> =>
  baremetal(...args).then(
    () => '',
    (error: { stderr: string }) => error.stderr,
  );

describe('baremetal', { timeout: 120_000 }, () => {
  it('enrolls a node with a port', async () => {
    const node = await json(
      ...['node', 'create', '--driver', 'ipmi', '--name', 'n1'],
      ...['--driver-info', 'ipmi_address=192.0.2.1', '--driver-info', 'ipmi_password=pw'],
      ...['--property', 'cpu_arch=x86_64', '--resource-class', 'gold'],
    );
    expect(node).toMatchObject({
      name: 'n1',
      provision_state: 'enroll',
      driver_info: { ipmi_address: '192.0.2.1', ipmi_password: '******' },
    });
    const port = await json(
      'port',
      'create',
      '52:54:00:AA:00:01',
      '--node',
      node.uuid,
      '--pxe-enabled',
      'true',
    );
    expect(port).toMatchObject({ address: '52:54:00:aa:00:01', node_uuid: node.uuid, pxe_enabled: true });
    expect(await json('port', 'list', '--node', 'n1')).toEqual([
      { UUID: port.uuid, Address: '52:54:00:aa:00:01' },
    ]);
    expect(await json('port', 'show', '--address', '52:54:00:aa:00:01')).toMatchObject({ uuid: port.uuid });
    await baremetal('port', 'set', port.uuid, '--physical-network', 'blue', '--extra', 'slot=1');
    expect(await json('port', 'show', port.uuid)).toMatchObject({
      physical_network: 'blue',
      extra: { slot: 1 },
    });
    await baremetal('port', 'unset', port.uuid, '--physical-network');
    expect(await json('port', 'list', '--long')).toMatchObject([{ 'Physical Network': null }]);
  });

  it('lists and shows', async () => {
    expect(await json('node', 'list')).toMatchObject([
      { Name: 'n1', 'Provisioning State': 'enroll', Maintenance: false },
    ]);
    expect(
      await json('node', 'list', '--long', '--resource-class', 'gold', '--sort', 'name:desc'),
    ).toHaveLength(1);
    expect(await json('node', 'list', '--fields', 'uuid', 'driver', '--no-maintenance')).toMatchObject([
      { Driver: 'ipmi' },
    ]);
    expect(await json('node', 'show', 'n1', '--fields', 'name', 'resource_class')).toEqual({
      name: 'n1',
      resource_class: 'gold',
    });
    expect(await failure('node', 'show', 'nobody')).toContain('Node nobody could not be found.');
    expect(await failure('node', 'create', '--driver', 'magic')).toContain('magic');
  });

  it('sets and unsets', async () => {
    await baremetal(
      'node',
      'set',
      'n1',
      '--driver-info',
      'ipmi_username=root',
      '--description',
      'rack 1',
      '--automated-clean',
    );
    expect(await json('node', 'show', 'n1')).toMatchObject({
      driver_info: { ipmi_username: 'root', ipmi_password: '******' },
      description: 'rack 1',
      automated_clean: true,
    });
    await baremetal(
      'node',
      'unset',
      'n1',
      '--description',
      '--driver-info',
      'ipmi_username',
      '--automated-clean',
    );
    expect(await json('node', 'show', 'n1')).toMatchObject({ description: null, automated_clean: null });
  });

  it('walks a node from enroll to active and back', async () => {
    await baremetal('node', 'manage', 'n1', '--wait', '20');
    await baremetal('node', 'provide', 'n1', '--wait', '20');
    await baremetal('node', 'set', 'n1', '--instance-info', 'image_source=http://images.example/a');
    await baremetal('node', 'deploy', 'n1', '--config-drive', '{"meta_data": {"a": "b"}}', '--wait', '20');
    expect(await json('node', 'show', 'n1')).toMatchObject({
      provision_state: 'active',
      power_state: 'power on',
    });
    expect(await failure('node', 'provide', 'n1')).toContain('Legal now');
    await baremetal('node', 'undeploy', 'n1', '--wait', '20');
    await baremetal('node', 'manage', 'n1', '--wait', '20');
    await baremetal('node', 'inspect', 'n1', '--wait', '20');
    expect((await json('node', 'show', 'n1')).provision_state).toBe('manageable');
  });

  it('changes power, maintenance and the boot device', async () => {
    await baremetal('node', 'power', 'on', 'n1');
    await baremetal('node', 'power', 'off', 'n1', '--soft', '--power-timeout', '30');
    await baremetal('node', 'reboot', 'n1');
    await expect
      .poll(async () => (await json('node', 'show', 'n1')).power_state, { timeout: 20_000 })
      .toBe('power on');
    await baremetal('node', 'maintenance', 'set', 'n1', '--reason', 'dust');
    expect(await json('node', 'show', 'n1')).toMatchObject({ maintenance: true, maintenance_reason: 'dust' });
    await baremetal('node', 'maintenance', 'unset', 'n1');
    await baremetal('node', 'boot', 'device', 'set', 'n1', 'pxe', '--persistent');
    expect(await json('node', 'boot', 'device', 'show', 'n1')).toEqual({
      boot_device: 'pxe',
      persistent: true,
    });
    expect(await json('node', 'boot', 'device', 'show', 'n1', '--supported')).toMatchObject({
      supported_boot_devices: 'pxe',
    });
  });

  it('validates and reads history', async () => {
    const checks = await json('node', 'validate', 'n1');
    expect(checks).toEqual(
      expect.arrayContaining([expect.objectContaining({ Interface: 'power', Result: true })]),
    );
    const [node] = await test.store.nodes.list({}, { limit: 1, sortKey: 'id', sortDir: 'asc' });
    const uuid = '6a8b3c1e-0000-4000-8000-00000000aaaa';
    await test.store.history.add({
      ...{ uuid, nodeUuid: node?.uuid ?? '', createdAt: new Date(), severity: 'ERROR', eventType: 'power' },
      ...{ event: 'the BMC is silent', conductor: 'c', user: null },
    });
    const history = await json('node', 'history', 'list', 'n1');
    expect(history).toContainEqual(
      expect.objectContaining({ UUID: uuid, 'Description of the event': 'the BMC is silent' }),
    );
    expect(await json('node', 'history', 'get', 'n1', uuid)).toMatchObject({ event_type: 'power' });
  });

  it('knows drivers and conductors', async () => {
    expect(await json('driver', 'list')).toMatchObject([
      { 'Supported driver(s)': 'fake-hardware', 'Active host(s)': 'test-conductor' },
      { 'Supported driver(s)': 'ipmi' },
    ]);
    expect(await json('driver', 'show', 'ipmi')).toMatchObject({ default_power_interface: 'ipmitool' });
    expect(JSON.stringify(await json('driver', 'property', 'list', 'ipmi'))).toContain('ipmi_address');
    expect(await json('conductor', 'list')).toMatchObject([{ Hostname: 'test-conductor', Alive: true }]);
    expect(await json('conductor', 'show', 'test-conductor')).toMatchObject({ alive: true });
  });

  it('deletes ports and nodes', async () => {
    const [port] = await json('port', 'list');
    await baremetal('port', 'delete', port.UUID);
    await baremetal('node', 'delete', 'n1');
    expect(await json('node', 'list')).toEqual([]);
  });
});
