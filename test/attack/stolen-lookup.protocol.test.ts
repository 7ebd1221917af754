/**
 * A stranger knows the MAC address of a machine, because DHCP broadcasts it, and asks lookup before the machine does.
 */
import { newPrivateKey, selfSigned } from '@ingot/shared/tls/self-signed.ts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type AttackedConductor, startAttackedConductor } from './attacked-conductor.ts';
import { bootMachine } from './booted-machine.ts';

const MAC = '52:54:00:00:00:01';
const STRANGER = '10.83.0.66';

let conductor: AttackedConductor;
let node: string;

beforeAll(async () => {
  conductor = await startAttackedConductor({
    hosts: { machine: { mac: MAC }, stranger: { address: STRANGER } },
  });
  ({ node } = await conductor.nodeAwaitingAgent('deploy', { mac: MAC }));
});
afterAll(() => conductor?.[Symbol.asyncDispose]());

const shown = async () => (await conductor.api('GET', `/v1/nodes/${node}`)).body;
const history = async (): Promise<string> =>
  (await conductor.api('GET', `/v1/nodes/${node}/history?detail=true`)).text;

describe('a stranger asks lookup first', () => {
  it.each([
    ['by the MAC address', () => `addresses=${MAC}`],
    ['by the uuid of the node', () => `node_uuid=${node}`],
  ])('%s, and gets neither the token nor the node', async (_, query) => {
    const answer = await conductor.host('stranger').call('GET', `/v1/lookup?${query()}`);
    expect(answer.status).toBe(403);
    expect(answer.text).not.toMatch(/agent_token|instance_info/);
  });

  it('can send no heartbeat and no inspection data', async () => {
    const stranger = conductor.host('stranger');
    const beat = { callback_url: `http://${STRANGER}:9999`, agent_token: 'guessed' };
    expect((await stranger.call('POST', `/v1/heartbeat/${node}`, { body: beat })).status).toBe(400);
    const data = { inventory: { interfaces: [{ name: 'eth0', mac_address: MAC }] } };
    const answer = await stranger.call('POST', '/v1/continue_inspection', { body: data });
    expect(answer.status).toBeGreaterThanOrEqual(400);
  });

  it('is an event in the history that names its address', async () => {
    expect(await history()).toContain(
      `a lookup without the boot secret came from ${STRANGER} and was refused`,
    );
  });

  it('does not disturb the machine itself', async () => {
    const machine = await bootMachine(conductor.host('machine'));
    const answer = await machine.lookup();
    expect(answer.body.config.agent_token).toMatch(/^[\w-]{43}$/);
    expect((await machine.heartbeat(answer.body.config.agent_token)).status).toBe(202);
    expect(await shown()).toMatchObject({
      driver_internal_info: { agent_session: 'authenticated', agent_url: `https://${machine.address}:9999` },
      last_error: null,
    });
  });
});

it('a second agent with the secret of the boot fails the deployment', async () => {
  const { node: second } = await conductor.nodeAwaitingAgent('deploy', {
    mac: conductor.host('stranger').mac,
  });
  const machine = await bootMachine(conductor.host('stranger'));
  const first = await machine.lookup();
  expect(first.status).toBe(200);
  const again = await machine.lookup();
  expect(again.body.config.agent_token).toBe(first.body.config.agent_token);
  const thief = await machine.lookup({ certificate: selfSigned('thief', newPrivateKey()).certificate });
  expect(thief.status).toBe(403);
  await expect
    .poll(async () => (await conductor.api('GET', `/v1/nodes/${second}`)).body.provision_state)
    .toBe('deploy failed');
  const { body } = await conductor.api('GET', `/v1/nodes/${second}`);
  expect(body.last_error).toContain(`a second lookup with the boot secret came from ${machine.address}`);
});
