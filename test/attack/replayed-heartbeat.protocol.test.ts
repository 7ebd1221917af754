/** A stranger has recorded a heartbeat and sends it again, to keep a dead agent alive or to redirect its commands. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type AttackedConductor, startAttackedConductor } from './attacked-conductor.ts';
import { type BootedMachine, bootMachine, type SentRequest } from './booted-machine.ts';

const MAC = '52:54:00:00:00:01';
let conductor: AttackedConductor;
let node: string;
let machine: BootedMachine;
let token: string;
let recorded: SentRequest;

beforeAll(async () => {
  conductor = await startAttackedConductor({
    hosts: { machine: { mac: MAC }, stranger: { address: '10.83.0.66' } },
  });
  ({ node } = await conductor.nodeAwaitingAgent('deploy', { mac: MAC }));
  machine = await bootMachine(conductor.host('machine'));
  token = (await machine.lookup()).body.config.agent_token;
  expect((await machine.heartbeat(token)).status).toBe(202);
  recorded = machine.lastRequest();
});
afterAll(() => conductor?.[Symbol.asyncDispose]());

const session = async () => {
  const { driver_internal_info: info } = (await conductor.api('GET', `/v1/nodes/${node}`)).body;
  return { url: info.agent_url, at: info.agent_last_heartbeat };
};

it.each(['the machine', 'another host'])('a recorded heartbeat is refused, from %s', async (from) => {
  const before = await session();
  const host = conductor.host(from === 'the machine' ? 'machine' : 'stranger');
  expect((await machine.replay(recorded, host)).status).toBe(401);
  expect(await session()).toEqual(before);
});

it('a recorded heartbeat with another callback URL is refused', async () => {
  const before = await session();
  const { status } = await machine.heartbeat(token);
  expect(status).toBe(202);
  const fresh = machine.lastRequest();
  const forged = { ...fresh, body: String(fresh.body).replace(machine.address, '10.83.0.66') };
  expect([401, 403]).toContain((await machine.replay(forged)).status);
  expect((await session()).url).toBe(before.url);
});

it('the token alone is of no use, not even over the listener for plain HTTP', async () => {
  const before = await session();
  const body = { callback_url: before.url, agent_token: token };
  const answer = await conductor.host('machine').call('POST', `/v1/heartbeat/${node}`, { body });
  expect(answer.status).toBe(403);
  expect(await session()).toEqual(before);
});

it('the agent goes on', async () => {
  expect((await machine.heartbeat(token)).status).toBe(202);
});
