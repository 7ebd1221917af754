/** The conductor of the attack tests does what they expect of it, with and without a network of its own. */
import { expect, it } from 'vitest';
import { startAttackedConductor } from './attacked-conductor.ts';

const MAC = '52:54:00:a7:00:01';

it('serves a network on which a machine waits for its agent, and hosts reach it', async () => {
  await using conductor = await startAttackedConductor({
    compute: true,
    hosts: { machine: { mac: MAC }, stranger: { address: '10.83.0.66' } },
  });
  const { node } = await conductor.nodeAwaitingAgent('deploy', { mac: MAC });
  expect(await conductor.host('machine').lease()).toMatch(/^10\.83\.0\.\d+$/);
  expect((await conductor.host('stranger').call('GET', '/v1')).status).toBe(200);
  expect((await conductor.facade('GET', '/')).status).toBeLessThan(500);
  expect(await conductor.residentMiB()).toBeGreaterThan(20);
  expect(await conductor.stop()).toBeLessThan(10_000);
  await conductor.start({ log_level: 'debug' });
  expect((await conductor.api('GET', `/v1/nodes/${node}`)).body).toMatchObject({
    provision_state: 'wait call-back',
    last_error: null,
  });
  expect(await conductor.logged('ingot conductor is ready')).toHaveLength(2);
});

it.each(['inspect', 'clean'] as const)(
  'has a node that awaits its agent on loopback: %s',
  async (operation) => {
    await using conductor = await startAttackedConductor({ loopback: true });
    const { mac } = await conductor.nodeAwaitingAgent(operation);
    expect((await conductor.provisioning('GET', `/v1/lookup?addresses=${mac}`)).status).toBeLessThan(500);
    const { node } = await conductor.fakeNode({}, ['manage']);
    expect((await conductor.api('GET', `/v1/nodes/${node}`)).body.provision_state).toBe('manageable');
  },
);
