import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { startTestEngine, type TestEngine } from '../../test/fakes/test-engine.ts';
import type { JsonObject } from '../domain/json.ts';
import type { Node } from '../domain/node.ts';
import type { ProvisionState } from '../domain/states.ts';

let test: TestEngine;
beforeEach(async () => {
  test = await startTestEngine();
});
afterEach(() => test[Symbol.asyncDispose]());

/** A node that verbs have brought into `state`. */
async function node(state: ProvisionState, driverInfo: JsonObject = {}): Promise<string> {
  const uuid = await test.enroll(driverInfo);
  const way = [
    ['manage', 'manageable'],
    ['provide', 'available'],
    ['active', 'active'],
  ] as const;
  for (const [verb, next] of way) {
    await test.go(uuid, verb, next);
    if (next === state) break;
  }
  return uuid;
}

const driverInfo = (uuid: string, info: JsonObject) =>
  test.engine.updateNode(uuid, 'test', () => ({ driverInfo: info }));
const biosOf = (one: Node) => {
  const settings = test.engine.hardwareOf(one).all.bios.biosSettings?.(one) ?? [];
  return Object.fromEntries(settings.map(({ name, value }) => [name, value]));
};
const lastOperation = async (uuid: string) => (await test.store.operations.list(uuid, 1))[0]!;
const stepsOf = async (uuid: string) =>
  (await lastOperation(uuid)).steps.map((step) => `${step.interface}.${step.step} ${step.state}`);

describe('rescue', () => {
  const request = { verb: 'rescue', rescuePassword: 'letmein' } as const;

  it('enters and leaves rescue, and deletes the password', async () => {
    const uuid = await node('active', { fake_wait: { 'rescue.rescue': 0.05 } });
    await test.engine.provision(uuid, request);
    await test.reach(uuid, 'rescue wait');
    expect((await test.store.operations.current(uuid))?.args).toEqual({ rescuePassword: 'letmein' });
    await test.reach(uuid, 'rescue');
    expect((await lastOperation(uuid)).args).toEqual({ rescuePassword: '******' });
    await test.go(uuid, 'unrescue', 'active');
  });

  it.each([{}, { rescuePassword: '' }, { rescuePassword: '  ' }])('needs a password: %j', async (given) => {
    const uuid = await node('active');
    await expect(test.engine.provision(uuid, { verb: 'rescue', ...given })).rejects.toMatchObject({
      code: 'missingParameter',
    });
  });

  it('can be aborted, and the node deleted from there', async () => {
    const uuid = await node('active', { fake_wait: { 'rescue.rescue': 60 } });
    await test.engine.provision(uuid, request);
    await test.reach(uuid, 'rescue wait');
    const failed = await test.go(uuid, 'abort', 'rescue failed');
    expect(failed).toMatchObject({ powerState: 'power off', maintenance: false });
    await test.go(uuid, 'deleted', 'available');
  });

  it('reports why it failed', async () => {
    const uuid = await node('active');
    await driverInfo(uuid, { fake_fail: ['rescue.rescue', 'rescue.unrescue'] });
    const failed = await test.go(uuid, request, 'rescue failed');
    expect(failed.lastError).toMatch(/rescue step rescue.rescue failed: fake hardware fails rescue.rescue/);
    await test.go(uuid, 'unrescue', 'unrescue failed');
  });
});

describe('adopt', () => {
  it('makes a node active without touching it', async () => {
    const uuid = await node('manageable');
    await test.store.nodes.update(uuid, { powerState: 'power on' }, new Date());
    const adopted = await test.go(uuid, 'adopt', 'active');
    expect(adopted).toMatchObject({ powerState: 'power on', lastError: null });
    expect(await stepsOf(uuid)).toEqual(['deploy.take_over done']);
  });

  it('ends in adopt failed when the hardware does not answer, and may be tried again', async () => {
    const uuid = await node('manageable');
    await driverInfo(uuid, { fake_fail: ['power'] });
    const failed = await test.go(uuid, 'adopt', 'adopt failed');
    expect(failed.lastError).toContain('driver_info.fake_fail has "power"');
    await driverInfo(uuid, {});
    await test.go(uuid, 'adopt', 'active');
  });
});

describe('manual cleaning', () => {
  const settings = [{ name: 'boot', value: 'uefi' }];
  const cleanSteps = [
    { interface: 'raid', step: 'delete_configuration' },
    { interface: 'bios', step: 'apply_configuration', args: { settings } },
    { interface: 'raid', step: 'create_configuration' },
  ];

  it('runs only the given steps, in their order', async () => {
    const uuid = await node('manageable');
    await test.store.nodes.update(uuid, { targetRaidConfig: { logical_disks: [] } }, new Date());
    const cleaned = await test.go(uuid, { verb: 'clean', cleanSteps }, 'manageable');
    expect(await stepsOf(uuid)).toEqual([
      'raid.delete_configuration done',
      'bios.apply_configuration done',
      'raid.create_configuration done',
    ]);
    expect(cleaned).toMatchObject({
      raidConfig: { logical_disks: [] },
      targetProvisionState: null,
    });
    expect(biosOf(cleaned)).toEqual({ boot: 'uefi' });
  });

  it.each([
    [[{ interface: 'bios', step: 'apply_configuration' }], /clean_steps\[0\]: the step needs .*"settings"/],
    [[{ interface: 'bios', step: 'factory_reset', args: { x: 1 } }], undefined],
    [
      [{ interface: 'raid', step: 'create_configuration', args: { x: 1 } }],
      /takes no argument "x", only create_root_volume/,
    ],
    [[{ interface: 'deploy', step: 'burn' }], /No interface of this node has the clean step deploy.burn/],
    [[{ step: 'erase_devices' }], /"interface" must be one of/],
    [[], /at least one step/],
  ])('checks the steps before it begins: %j', async (steps, text) => {
    const uuid = await node('manageable');
    const asked = test.engine.provision(uuid, { verb: 'clean', cleanSteps: steps });
    if (text === undefined) await asked;
    else await expect(asked).rejects.toThrow(text);
  });

  it('keeps manageable as its target during waits and holds', async () => {
    const uuid = await node('manageable', { fake_wait: { 'bios.factory_reset': 60 } });
    const steps = [{ step: 'hold' }, { interface: 'bios', step: 'factory_reset' }];
    const held = await test.go(uuid, { verb: 'clean', cleanSteps: steps }, 'clean hold');
    expect(held.targetProvisionState).toBe('manageable');
    const waiting = await test.go(uuid, 'unhold', 'clean wait');
    expect(waiting.targetProvisionState).toBe('manageable');
    const failed = await test.go(uuid, 'abort', 'clean failed');
    expect(failed).toMatchObject({ targetProvisionState: 'manageable', maintenance: false, fault: null });
    await test.go(uuid, 'manage', 'manageable');
  });
});

describe('inspection', () => {
  it('stores the time of its end, also when it is aborted', async () => {
    const uuid = await node('manageable');
    const done = await test.go(uuid, 'inspect', 'manageable');
    expect(done).toMatchObject({ inspectionStartedAt: null, inspectionFinishedAt: expect.any(Date) });
    await driverInfo(uuid, { fake_wait: { 'inspect.inspect_hardware': 60 } });
    const waiting = await test.go(uuid, 'inspect', 'inspect wait');
    expect(waiting).toMatchObject({ inspectionStartedAt: expect.any(Date), inspectionFinishedAt: null });
    const failed = await test.go(uuid, 'abort', 'inspect failed');
    expect(failed).toMatchObject({ inspectionStartedAt: null, inspectionFinishedAt: null });
    await driverInfo(uuid, {});
    await test.go(uuid, 'inspect', 'manageable');
  });
});

describe('cleaning that fails', () => {
  it('puts the node into maintenance when a step had begun', async () => {
    const uuid = await node('manageable', { fake_fail: ['deploy.erase_devices'] });
    const failed = await test.go(uuid, 'provide', 'clean failed');
    expect(failed).toMatchObject({ maintenance: true, fault: 'clean failure' });
    expect(failed.maintenanceReason).toBe(failed.lastError);
    expect(failed.lastError).toMatch(/^clean step deploy.erase_devices failed: /);
  });
});

describe('deploy steps', () => {
  const template = (name: string, steps: JsonObject[]) =>
    test.store.deployTemplates.create({ uuid: crypto.randomUUID(), name, steps }, new Date());
  const bios = (priority: number, value: string) => ({
    interface: 'bios',
    step: 'apply_configuration',
    args: { settings: [{ name: 'ht', value }] },
    priority,
  });
  const deploySteps = async (uuid: string) =>
    (await lastOperation(uuid)).steps.map((step) => `${step.interface}.${step.step} ${step.priority}`);

  it('come from the templates for traits that the instance requires', async () => {
    await template('CUSTOM_HT', [bios(150, 'on')]);
    await template('CUSTOM_OTHER', [bios(10, 'other')]);
    const uuid = await node('available');
    const info = { instanceInfo: { traits: ['CUSTOM_HT', 'CUSTOM_NO_TEMPLATE'] } };
    await test.engine.updateNode(uuid, 'test', () => info);
    const active = await test.go(uuid, 'active', 'active');
    expect(await deploySteps(uuid)).toEqual(['bios.apply_configuration 150', 'deploy.deploy 100']);
    expect(biosOf(active)).toEqual({ ht: 'on' });
  });

  it('of the request override those of a template, and priority 0 removes one', async () => {
    await template('CUSTOM_HT', [
      bios(150, 'on'),
      { interface: 'vendor', step: 'log_passthrough', args: {}, priority: 90 },
    ]);
    const uuid = await node('available');
    await test.engine.updateNode(uuid, 'test', () => ({ instanceInfo: { traits: ['CUSTOM_HT'] } }));
    const request = {
      verb: 'active',
      deploySteps: [
        bios(50, 'off'),
        { interface: 'vendor', step: 'log_passthrough', args: {}, priority: 0 },
        { interface: 'deploy', step: 'deploy', args: {}, priority: 120 },
      ],
    } as const;
    const active = await test.go(uuid, request, 'active');
    expect(await deploySteps(uuid)).toEqual(['deploy.deploy 120', 'bios.apply_configuration 50']);
    expect(biosOf(active)).toEqual({ ht: 'off' });
  });

  it('must not contain a step twice', async () => {
    const uuid = await node('available');
    const twice = { verb: 'active', deploySteps: [bios(50, 'a'), bios(60, 'b')] } as const;
    await expect(test.engine.provision(uuid, twice)).rejects.toThrow(
      /bios.apply_configuration is there twice/,
    );
  });

  it('of an invalid template name the template in the error', async () => {
    await template('CUSTOM_HT', [{ interface: 'bios', step: 'apply_configuration', args: {}, priority: 5 }]);
    const uuid = await node('available');
    await test.engine.updateNode(uuid, 'test', () => ({ instanceInfo: { traits: ['CUSTOM_HT'] } }));
    await expect(test.engine.provision(uuid, { verb: 'active' })).rejects.toThrow(
      /^deploy template CUSTOM_HT: steps\[0\]: the step needs/,
    );
  });
});

describe('hold', () => {
  const held = { verb: 'active', deploySteps: [{ step: 'hold', priority: 110 }] } as const;

  it('waits until unhold, also across a restart', async () => {
    const uuid = await node('available');
    await test.go(uuid, held, 'deploy hold');
    expect(await test.store.operations.current(uuid)).toMatchObject({ state: 'waiting', deadline: null });
    test.engine.wake(uuid);
    await using after = await startTestEngine({ store: test.store });
    expect((await after.rest(uuid)).provisionState).toBe('deploy hold');
    await after.go(uuid, 'unhold', 'active');
  });

  it('fails after abort', async () => {
    const uuid = await node('available');
    await test.go(uuid, held, 'deploy hold');
    const failed = await test.go(uuid, 'abort', 'deploy failed');
    expect(failed).toMatchObject({ powerState: 'power off' });
    expect(await lastOperation(uuid)).toMatchObject({ state: 'aborted' });
    await test.go(uuid, 'rebuild', 'active');
  });
});

describe('service', () => {
  const serviceSteps = [{ interface: 'firmware', step: 'update', args: { settings: [] } }];

  it('runs its steps on an active node', async () => {
    const uuid = await node('active');
    await test.go(uuid, { verb: 'service', serviceSteps }, 'active');
    expect(await stepsOf(uuid)).toEqual(['firmware.update done']);
  });

  it('can be requested again from a hold, and aborted after a failure', async () => {
    const uuid = await node('active', { fake_fail: ['firmware'] });
    await test.go(uuid, { verb: 'service', serviceSteps: [{ step: 'hold' }] }, 'service hold');
    await test.go(uuid, { verb: 'service', serviceSteps }, 'service failed');
    await test.go(uuid, 'abort', 'active');
  });
});

describe('reserved steps', () => {
  it('power and wait steps run among others', async () => {
    const uuid = await node('manageable');
    const cleanSteps = [
      { step: 'power_on' },
      { step: 'wait', args: { seconds: 0.01 } },
      { step: 'reboot' },
      { step: 'power_off' },
    ];
    const cleaned = await test.go(uuid, { verb: 'clean', cleanSteps }, 'manageable');
    expect(cleaned.powerState).toBe('power off');
    const kinds = (await test.store.sightings.forNode(uuid, new Date(0))).map((one) => one.kind);
    expect(kinds).toEqual(['power on', 'power on']);
  });
});

describe('retired and protected', () => {
  it('a retired node is cleaned to manageable and not provided again', async () => {
    const uuid = await node('active');
    await test.engine.updateNode(uuid, 'test', () => ({ retired: true }));
    await test.go(uuid, 'deleted', 'manageable');
    await expect(test.engine.provision(uuid, { verb: 'provide' })).rejects.toThrow(/is retired/);
    await test.engine.updateNode(uuid, 'test', () => ({ retired: false }));
    await test.go(uuid, 'provide', 'available');
  });

  it.each(['deleted', 'undeploy', 'rebuild'] as const)('a protected node refuses %s', async (verb) => {
    const uuid = await node('active');
    await test.engine.updateNode(uuid, 'test', () => ({ protected: true }));
    await expect(test.engine.provision(uuid, { verb })).rejects.toMatchObject({
      code: 'forbidden',
      status: 403,
    });
    await expect(test.engine.deleteNode(uuid)).rejects.toMatchObject({ code: 'forbidden' });
  });
});

describe('a busy node', () => {
  it('accepts no verb, even one with the name of an event of the running operation', async () => {
    const uuid = await node('manageable', { fake_wait: { 'deploy.tear_down': 60 } });
    await test.go(uuid, 'provide', 'available');
    await test.go(uuid, 'active', 'active');
    await test.engine.provision(uuid, { verb: 'deleted' });
    await test.reach(uuid, 'deleting');
    const cleanSteps = [{ interface: 'bios', step: 'factory_reset' }];
    await expect(test.engine.provision(uuid, { verb: 'clean', cleanSteps })).rejects.toThrow(
      /Nothing can be asked of it until the work in progress ends/,
    );
  });
});

describe('a node that must stay on', () => {
  it('is never powered off, also after failures', async () => {
    const uuid = await node('manageable');
    await test.engine.updateNode(uuid, 'test', () => ({ disablePowerOff: true }));
    const { power } = test.engine.hardwareOf(await test.find(uuid));
    const told = vi.spyOn(power, 'setPowerState');
    await test.go(uuid, 'provide', 'available');
    await test.go(uuid, 'active', 'active');
    await test.go(uuid, 'deleted', 'available');
    await driverInfo(uuid, { fake_fail: ['deploy.deploy'] });
    await test.go(uuid, 'active', 'deploy failed');
    const targets = told.mock.calls.map(([, target]) => target);
    expect(targets.filter((target) => target.includes('off'))).toEqual([]);
    expect(targets.at(-1)).toBe('rebooting');
    const powerOff = { interface: 'deploy', step: 'power_off', args: {} };
    await test.go(uuid, 'deleted', 'available');
    await test.go(uuid, 'manage', 'manageable');
    const failed = await test.go(uuid, { verb: 'clean', cleanSteps: [powerOff] }, 'clean failed');
    expect(failed.lastError).toContain('"disable_power_off" is true');
  });
});

it('stores the health that a BMC reports; a missing one is not a failure', async () => {
  await using syncing = await startTestEngine({ settings: { powerSyncIntervalMs: 2 } });
  const uuid = await syncing.enroll({ fake_health: 'WARNING' });
  await syncing.go(uuid, 'manage', 'manageable');
  const told = async (health: string | null) =>
    vi.waitFor(async () => expect((await syncing.find(uuid)).health).toBe(health), {
      interval: 2,
      timeout: 5_000,
    });
  await told('WARNING');
  await syncing.engine.updateNode(uuid, 'test', () => ({ driverInfo: {} }));
  await told(null);
});
