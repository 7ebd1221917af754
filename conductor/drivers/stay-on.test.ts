/** Drivers on a node that must never be powered off, compared with other nodes. */
import { expect, it } from 'vitest';
import { TEST_NETWORK_BOOT } from '../../test/fakes/agent-endpoints.ts';
import { fakeImages } from '../../test/fakes/engine-deps.ts';
import { loopbackOutbound } from '../../test/fakes/outbound.ts';
import type { StepContext } from '../domain/drivers.ts';
import type { Node } from '../domain/node.ts';
import type { NodeContext } from '../domain/node-context.ts';
import { createAgentInspect } from './agent-inspect.ts';
import { createDirectDeploy } from './direct-deploy.ts';
import { createIpmiPower } from './ipmitool.ts';
import { createNetworkBoot } from './network-boot.ts';

const inspect = createAgentInspect(
  { callbackUrl: null },
  {
    inventoryOf: async () => undefined,
    addPort: async () => undefined,
    inspectionRules: async () => [],
    portsOf: async () => [],
    changePort: async () => undefined,
    keepInventory: async () => undefined,
    log: () => undefined,
  },
  loopbackOutbound,
);
const steps = [...createDirectDeploy(fakeImages, async () => undefined).steps!, ...inspect.steps!];

/** The power commands and boot targets of the step, in order. */
async function deeds(name: string, disablePowerOff: boolean): Promise<string[]> {
  const done: string[] = [];
  const ended = async (what: string): Promise<void> => {
    await new Promise((resolve) => setImmediate(resolve));
    done.push(what);
  };
  const context = {
    node: { disablePowerOff, instanceInfo: {} } as unknown as Node,
    operation: { args: {}, steps: [] },
    step: { memo: { synced: true } },
    hardware: { boot: createNetworkBoot('ipxe', TEST_NETWORK_BOOT) },
    setPower: (target: string) => ended(target),
    updateNode: (patch: object) => ended(Object.keys(patch).join()),
  } as unknown as StepContext;
  await steps.find(({ step }) => step === name)!.advance(context);
  return done;
}

it.each([
  ['tear_down_agent', ['power off'], []],
  ['boot_instance', ['power on'], ['rebooting']],
  ['tear_down_cleaning', ['power off', 'bootTarget'], ['bootTarget', 'rebooting']],
  [
    'tear_down',
    ['power off', 'bootTarget', 'instanceInfo,instanceUuid'],
    ['bootTarget', 'rebooting', 'instanceInfo,instanceUuid'],
  ],
  ['power_off', ['power off', 'bootTarget'], ['bootTarget', 'rebooting']],
])('%s does %j, or %j', async (step, usually, stayingOn) => {
  expect(await deeds(step, false)).toEqual(usually);
  expect(await deeds(step, true)).toEqual(stayingOn);
});

it('the BMC resets it instead of cycling its power', async () => {
  let state: 'power on' | 'power off' = 'power on';
  const told: string[] = [];
  const power = createIpmiPower({
    validate: () => undefined,
    session: () => ({
      getPowerState: async () => state,
      async setPower(action) {
        told.push(action);
        state = action === 'off' ? 'power off' : 'power on';
      },
      getBootDevice: () => Promise.reject(new Error('not asked')),
      setBootDevice: () => Promise.reject(new Error('not asked')),
    }),
  });
  const context = (disablePowerOff: boolean): NodeContext => ({
    node: { driverInfo: {}, disablePowerOff } as unknown as Node,
    ports: [],
    signal: new AbortController().signal,
    now: () => new Date(),
  });
  await power.setPowerState(context(false), 'rebooting');
  expect(told.splice(0)).toEqual(['off', 'on']);
  await power.setPowerState(context(true), 'rebooting');
  expect(told.splice(0)).toEqual(['reset']);
  await expect(power.setPowerState(context(true), 'soft rebooting')).rejects.toThrow('ask for "rebooting"');
  state = 'power off';
  await power.setPowerState(context(true), 'rebooting');
  expect(told).toEqual(['on']);
});
