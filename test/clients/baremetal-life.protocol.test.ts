/**
 * The unmodified `baremetal` client takes fake nodes through the whole life cycle.
 */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createTestApi, type TestApi } from '../fakes/api.ts';

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
const show = async (node: string) => JSON.parse(await baremetal('node', 'show', node, '-f', 'json'));
const failure = (...args: string[]): Promise<string> =>
  baremetal(...args).then(
    () => '',
    (error: { stderr: string }) => error.stderr,
  );
/** The client's own --wait polls only every few seconds. */
const reaches = (node: string, state: string) =>
  expect
    .poll(async () => (await test.store.nodes.find(node))?.provisionState, { timeout: 10_000 })
    .toBe(state);
async function node(verb: string, state: string, ...args: string[]): Promise<void> {
  await baremetal('node', verb, 'n1', ...args);
  await reaches('n1', state);
}

describe('baremetal', { timeout: 180_000 }, () => {
  it('cleans manually, in the requested order', async () => {
    await baremetal('node', 'create', '--driver', 'fake-hardware', '--name', 'n1');
    await node('manage', 'manageable');
    const steps = [
      { interface: 'raid', step: 'delete_configuration' },
      { interface: 'bios', step: 'apply_configuration', args: { settings: [{ name: 'ht', value: 'on' }] } },
    ];
    await node('clean', 'manageable', '--clean-steps', JSON.stringify(steps));
    expect(await show('n1')).toMatchObject({ provision_state: 'manageable', last_error: null });
    const list = JSON.parse(await baremetal('node', 'bios', 'setting', 'list', 'n1', '-f', 'json'));
    expect(list).toEqual([{ 'BIOS setting name': 'ht', 'BIOS setting value': 'on' }]);
  });

  it('adopts, rescues, unrescues and rebuilds', async () => {
    await node('adopt', 'active');
    await node('rescue', 'rescue', '--rescue-password', 'letmein');
    await node('unrescue', 'active');
    const steps = [{ interface: 'vendor', step: 'log_passthrough', args: {}, priority: 50 }];
    await node('rebuild', 'active', '--deploy-steps', JSON.stringify(steps));
  });

  it('protects and retires', async () => {
    await baremetal('node', 'set', 'n1', '--protected', '--protected-reason', 'mine');
    expect(await failure('node', 'undeploy', 'n1')).toMatch(/protected.*\(HTTP 403\)/s);
    await baremetal('node', 'unset', 'n1', '--protected');
    await baremetal('node', 'set', 'n1', '--retired', '--retired-reason', 'old');
    await node('undeploy', 'manageable');
    expect(await failure('node', 'provide', 'n1')).toContain('is retired');
    await baremetal('node', 'unset', 'n1', '--retired');
    await node('provide', 'available');
  });

  it('deploys with a template, waits, aborts and tries again', async () => {
    const steps = [{ interface: 'vendor', step: 'log_passthrough', args: {}, priority: 150 }];
    await baremetal('deploy', 'template', 'create', 'CUSTOM_X', '--steps', JSON.stringify(steps));
    await baremetal('node', 'set', 'n1', '--instance-info', 'traits=["CUSTOM_X"]');
    await baremetal('node', 'set', 'n1', '--driver-info', 'fake_wait={"deploy.deploy": 300}');
    await node('deploy', 'wait call-back');
    expect((await show('n1')).deploy_step).toMatchObject({ interface: 'deploy', step: 'deploy' });
    await node('abort', 'deploy failed');
    expect((await show('n1')).last_error).toContain('aborted by the operator');
    await baremetal('node', 'unset', 'n1', '--driver-info', 'fake_wait');
    await node('deploy', 'active');
    await node('undeploy', 'available');
    await baremetal('node', 'delete', 'n1');
  });
});
