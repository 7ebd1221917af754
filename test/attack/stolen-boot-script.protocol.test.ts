/** A stranger asks for the boot script of another machine: the script has the secret of its boot. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type AttackedConductor, startAttackedConductor } from './attacked-conductor.ts';
import { bootMachine, scriptPath } from './booted-machine.ts';

const MAC = '52:54:00:00:00:01';
const OTHER_MAC = '52:54:00:00:00:02';
const STRANGER = '10.83.0.66';
let conductor: AttackedConductor;

beforeAll(async () => {
  conductor = await startAttackedConductor({
    hosts: { machine: { mac: MAC }, second: { mac: OTHER_MAC }, stranger: { address: STRANGER } },
  });
});
afterAll(() => conductor?.[Symbol.asyncDispose]());

const shown = async (node: string) => (await conductor.api('GET', `/v1/nodes/${node}`)).body;
const failed = (node: string) =>
  expect.poll(async () => (await shown(node)).provision_state).toBe('deploy failed');

describe('the boot script of a machine', () => {
  it('is not given to another address, and the deployment fails with a reason', async () => {
    const { node } = await conductor.nodeAwaitingAgent('deploy', { mac: MAC });
    await conductor.host('machine').lease();
    const { text } = await conductor.host('stranger').call('GET', scriptPath(MAC));
    expect(text).not.toMatch(/^kernel /m);
    expect(text).not.toContain('secret=');
    await failed(node);
    expect((await shown(node)).last_error).toMatch(
      new RegExp(`from an address that is not the machine's.*came from ${STRANGER}`),
    );
    const { text: events } = await conductor.api('GET', `/v1/nodes/${node}/history?detail=true`);
    expect(events).toContain(STRANGER);
  });

  it('is given to the machine as often as it asks, but not after its agent has called', async () => {
    const { node } = await conductor.nodeAwaitingAgent('deploy', { mac: OTHER_MAC });
    const host = conductor.host('second');
    await bootMachine(host);
    const machine = await bootMachine(host);
    expect((await machine.lookup()).status).toBe(200);
    const { text } = await host.call('GET', scriptPath(OTHER_MAC));
    expect(text).not.toMatch(/^kernel /m);
    await failed(node);
    expect((await shown(node)).last_error).toContain('after the agent had called');
  });
});
