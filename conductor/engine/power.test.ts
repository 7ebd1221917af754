import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { sampleNode } from '../../test/fakes/engine-samples.ts';
import {
  startTestEngineParts,
  type TestEngineParts,
  type TestEnginePartsOptions,
} from '../../test/fakes/test-engine-parts.ts';
import type { PowerTarget } from '../domain/drivers.ts';
import { IngotError } from '../domain/errors.ts';
import type { AgentSession, NewNode } from '../domain/node.ts';
import { changePower, isPowerTarget, POWER_RESULT, refusePowerOff } from './power.ts';

const agent: AgentSession = {
  url: 'http://a',
  token: 't',
  version: null,
  verifyCa: null,
  proven: false,
  lastHeartbeatAt: null,
};

let test: TestEngineParts;
beforeEach(async () => {
  test = await startTestEngineParts();
});
afterEach(() => test[Symbol.asyncDispose]());

async function change(target: PowerTarget, fields: Partial<NewNode> = {}) {
  const node = await test.add(fields);
  return changePower(test.parts, test.parts.hardware.of(node), test.contextOf(node), target);
}
const sightings = async (uuid = 'n1') =>
  (await test.store.sightings.forNode(uuid, new Date(0))).map(({ kind }) => kind);

/** The same with another power interface. */
async function withPower(power: TestEnginePartsOptions['power']): Promise<void> {
  await test[Symbol.asyncDispose]();
  test = await startTestEngineParts({ power: power ?? {} });
}

describe('changePower', () => {
  it('powers on, and a boot begins', async () => {
    const node = await change('power on', { agent });
    expect(node).toMatchObject({ powerState: 'power on', targetPowerState: null, agent: null });
    expect(test.told).toEqual(['n1: power on']);
    expect(await sightings()).toEqual(['power on']);
  });

  it('stores the intent and removes the agent session before the BMC gets the command', async () => {
    const seen: unknown[] = [];
    await withPower({
      setPowerState: async ({ node }) => {
        const { targetPowerState, agent: session } = await test.find(node.uuid);
        seen.push([targetPowerState, session, await sightings()]);
      },
    });
    await change('rebooting', { agent });
    expect(seen).toEqual([['power on', null, ['power on']]]);
  });

  it('sends no command when the node is already in the state; its agent session stays while it is on', async () => {
    test.power.set('n1', 'power on');
    expect(await change('power on', { agent })).toMatchObject({ powerState: 'power on', agent });
    expect(await change('power off', { agent, powerState: 'power on' })).toMatchObject({
      powerState: 'power off',
      agent: null,
    });
    expect(test.told).toEqual([]);
    expect(await sightings()).toEqual([]);
  });

  it('always reboots, whatever the state is', async () => {
    test.power.set('n1', 'power on');
    expect(await change('rebooting', { agent })).toMatchObject({ powerState: 'power on', agent: null });
    expect(test.told).toEqual(['n1: rebooting']);
  });

  it('stores the error, and that no change is in progress', async () => {
    await withPower({ setPowerState: () => Promise.reject(new IngotError('bmcFailure', 'no answer')) });
    await expect(change('power on')).rejects.toThrow('no answer');
    expect(await test.find('n1')).toMatchObject({
      targetPowerState: null,
      powerState: null,
      lastError: "Failed to change power state to 'power on': no answer",
    });
  });

  it('refuses what the interface does not offer and what the node forbids, without a command to the BMC', async () => {
    const unasked = () => Promise.reject(new Error('asked'));
    await withPower({ getPowerState: unasked, setPowerState: unasked });
    await expect(change('soft power off')).rejects.toThrow(
      'Power interface "fake" of node n1 does not support "soft power off".',
    );
    await expect(change('power off', { disablePowerOff: true })).rejects.toMatchObject({ code: 'conflict' });
  });
});

describe('refusePowerOff', () => {
  const refused = (disablePowerOff: boolean) =>
    (Object.keys(POWER_RESULT) as PowerTarget[]).filter((target) => {
      try {
        refusePowerOff(sampleNode({ disablePowerOff }), target);
        return false;
      } catch {
        return true;
      }
    });

  it('refuses both ways to power off a node that must stay on', () => {
    expect(refused(true)).toEqual(['power off', 'soft power off']);
    expect(refused(false)).toEqual([]);
  });
});

it('isPowerTarget accepts the targets of the API and no inherited property names', () => {
  expect(['power on', 'soft rebooting', 'toString', 'on'].map(isPowerTarget)).toEqual([
    true,
    true,
    false,
    false,
  ]);
});
