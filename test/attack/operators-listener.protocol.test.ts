/** Somebody who reaches the operators' listener, but not the provisioning network, pretends to be a ramdisk there. */
import { expect, it } from 'vitest';
import { startAttackedConductor } from './attacked-conductor.ts';

it("the operators' listener takes nothing from ramdisks where they have a listener of their own", async () => {
  await using conductor = await startAttackedConductor({ loopback: true, plaintextAgents: true });
  const { node, mac } = await conductor.nodeAwaitingAgent('inspect');
  const inventory = { interfaces: [{ name: 'eth0', mac_address: mac }], boot: { pxe_interface: mac } };
  const beat = { callback_url: 'http://127.0.0.1:1', agent_token: 'x' };
  expect((await conductor.api('GET', `/v1/lookup?node_uuid=${node}`)).status).toBe(404);
  expect((await conductor.api('POST', `/v1/heartbeat/${node}`, { body: beat })).status).toBe(404);
  const sent = await conductor.api('POST', '/v1/continue_inspection', { body: { inventory } });
  expect(sent.status).toBe(404);
  expect((await conductor.api('GET', '/v1')).body).not.toHaveProperty('continue_inspection');
  expect((await conductor.api('GET', `/v1/nodes/${node}`)).body.provision_state).toBe('inspect wait');
  // The session was not opened here, so the machine itself still gets its token.
  const found = await conductor.provisioning('GET', `/v1/lookup?node_uuid=${node}`);
  expect(found.body.config.agent_token).toMatch(/^[\w-]{43}$/);
}, 60_000);
