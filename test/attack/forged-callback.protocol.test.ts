/** An agent that was taken over, or a stranger with its token, names a callback URL that leads elsewhere. */
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { startAttackedConductor } from './attacked-conductor.ts';
import { LAN_ADDRESS } from './attacked-lan.ts';
import { setTrap } from './trap.ts';

const MAC = '52:54:00:a7:00:0c';
const [VICTIM, STRANGER] = ['10.83.0.66', '10.83.0.67'];
const FORGED = [
  `http://${VICTIM}`,
  `http://${VICTIM}:80/`,
  `http://${STRANGER}:9999`,
  `http://${LAN_ADDRESS}`,
  'http://127.0.0.1',
  'http://[::1]',
  'http://[::ffff:127.0.0.1]',
  'http://0.0.0.0',
  'http://2130706433',
  'http://169.254.169.254',
  'http://localhost',
  'file:///etc/passwd',
];
/** Long enough for the conductor to call an agent that it believes. */
const SETTLE_MS = 3_000;

it('the conductor calls nobody but the machine that has the lease', async () => {
  await using conductor = await startAttackedConductor({
    plaintextAgents: true,
    hosts: { machine: { mac: MAC }, victim: { address: VICTIM }, stranger: { address: STRANGER } },
  });
  const traps = [await setTrap(conductor.host('victim')), await setTrap(conductor.host('conductor'))];
  const { node } = await conductor.nodeAwaitingAgent('deploy', { mac: MAC });
  const machine = conductor.host('machine');
  const address = await machine.lease();
  const { config } = (await machine.call('GET', `/v1/lookup?addresses=${MAC}`)).body;
  const beat = (host: typeof machine, callback_url: string) =>
    host.call('POST', `/v1/heartbeat/${node}`, {
      headers: { 'x-openstack-ironic-api-version': '1.68' },
      body: { callback_url, agent_version: '10.0.0', agent_token: config.agent_token },
    });

  const own = [`http://${address}:9999/v1`, `http://user@${address}:9999`, `http://${address}:9999?x=1`];
  for (const url of [...FORGED, ...own]) {
    for (const host of [machine, conductor.host('stranger')]) {
      const answer = await beat(host, url);
      expect([url, answer.status]).toEqual([url, 400]);
      expect(answer.error).toContain('callback_url');
    }
  }
  await sleep(SETTLE_MS);
  expect(traps.flatMap(({ requests }) => requests)).toEqual([]);
  const { body } = await conductor.api('GET', `/v1/nodes/${node}`);
  expect(body).toMatchObject({ provision_state: 'wait call-back', last_error: null });
  expect(body.driver_internal_info).not.toHaveProperty('agent_url');
  expect(await conductor.log()).not.toContain(config.agent_token);

  expect((await beat(machine, `http://${address}:9999`)).status).toBe(202);
  expect((await beat(machine, `http://${VICTIM}`)).status).toBe(400);
}, 60_000);
