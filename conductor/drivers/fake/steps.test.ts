/** Steps of fake hardware: their effects on the node, waits and failures. */
import { describe, expect, it } from 'vitest';
import type { StepContext } from '../../domain/drivers.ts';
import type { JsonObject } from '../../domain/json.ts';
import type { InterfaceType, Node } from '../../domain/node.ts';
import type { OperationKind } from '../../domain/operations.ts';
import { createFakeInterfaces } from './interfaces.ts';

const DONE = { kind: 'done' };
const fake = createFakeInterfaces();
const NOW = new Date('2026-01-01T00:00:00Z');
const AT = NOW.toISOString();

interface Wanted {
  readonly node?: Partial<Node>;
  readonly args?: JsonObject;
  readonly operationArgs?: JsonObject;
  readonly memo?: JsonObject;
  readonly of?: typeof fake;
  readonly now?: Date;
  /** The answer of the boot interface. */
  readonly booted?: object;
  /** Interfaces that are not fake. */
  readonly others?: readonly InterfaceType[];
}

/**
 * Runs a step; returns its outcome and its effects in the order in which they ended. Effects that the step does not
 * await are missing.
 */
async function run(type: InterfaceType, name: string, wanted: Wanted = {}) {
  const { of = fake, others = [], booted = DONE, memo = {} } = wanted;
  const done: unknown[] = [];
  const doing = async (what: unknown): Promise<void> => {
    await new Promise((resolve) => setImmediate(resolve));
    done.push(what);
  };
  const boot = (what: string) => async () => {
    await doing(what);
    return booted;
  };
  const nameOf = (one: string) => (others.includes(one as InterfaceType) ? 'noop' : 'fake');
  const context = {
    node: { uuid: 'n', driverInfo: {}, driverInternalInfo: {}, disablePowerOff: false, ...wanted.node },
    operation: { args: wanted.operationArgs ?? {} },
    step: { step: name, args: wanted.args ?? {}, memo },
    hardware: {
      management: {},
      boot: { prepareInstance: boot('boot the disk'), cleanUp: boot('boot nothing') },
      all: new Proxy({}, { get: (_, one) => ({ name: nameOf(String(one)) }) }),
    },
    signal: new AbortController().signal,
    now: () => wanted.now ?? NOW,
    remember: async (more: object) => void Object.assign(memo, more),
    updateNode: doing,
    setPower: doing,
  } as unknown as StepContext;
  const outcome = await of[type].steps!.find(({ step }) => step === name)!.advance(context);
  return { outcome, done };
}

describe('a step', () => {
  const KINDS: readonly OperationKind[] = ['clean', 'deploy', 'service'];

  it.each<[InterfaceType, string, readonly OperationKind[]]>([
    ['bios', 'apply_configuration', KINDS],
    ['bios', 'factory_reset', KINDS],
    ['raid', 'create_configuration', ['clean', 'service']],
    ['raid', 'delete_configuration', ['clean', 'service']],
    ['raid', 'apply_configuration', KINDS],
    ['firmware', 'update', ['clean', 'service']],
    ['vendor', 'log_passthrough', KINDS],
  ])('%s.%s is offered by name in %j, and never runs by itself', (type, name, operations) => {
    const offered = fake[type].steps!.filter(({ step }) => step === name);
    expect(offered.map(({ operation, priority }) => [operation, priority])).toEqual(
      operations.map((operation) => [operation, 0]),
    );
  });

  it('can be aborted, and continues after a restart', () => {
    const steps = Object.values(fake).flatMap(({ steps = [] }) => steps);
    for (const { step, abortable, onRestart } of steps) {
      expect([step, abortable, onRestart]).toEqual([step, true, 'resume']);
    }
  });

  it.each<[InterfaceType, string, string[]]>([
    ['bios', 'apply_configuration', ['settings']],
    ['firmware', 'update', ['settings']],
    ['raid', 'create_configuration', []],
    ['raid', 'apply_configuration', ['raid_config']],
  ])('%s.%s needs the arguments %j', (type, name, needed) => {
    const { argsInfo = {} } = fake[type].steps!.find(({ step }) => step === name)!;
    const required = Object.keys(argsInfo).filter((key) => argsInfo[key]!.required);
    expect(required).toEqual(needed);
  });
});

describe('a step that waits', () => {
  const listed = { driverInfo: { fake_wait: ['deploy.erase_devices'] } };
  const seconds = (value: number) => ({ driverInfo: { fake_wait: { 'deploy.erase_devices': value } } });
  const slow = createFakeInterfaces({
    delays: { deploy: { usualMs: 7_000, longestMs: 7_000 } },
    random: () => 0,
  });
  const later = (ms: number) => new Date(NOW.getTime() + ms);

  it.each([
    [seconds(30), 30_000],
    [seconds(0), 0],
    [seconds(600), 600_000],
    [listed, 7_000],
  ])('for %j goes through the wait state for %s ms, then it is done', async (node, ms) => {
    const memo: JsonObject = {};
    const first = await run('deploy', 'erase_devices', { node, memo, of: slow });
    expect(first.outcome).toMatchObject({
      kind: 'wait',
      waitingFor: { kind: 'hardware' },
      wakeAt: later(ms),
      deadline: later(ms + 60_000),
    });
    if (ms > 0) {
      const early = await run('deploy', 'erase_devices', { node, memo, of: slow, now: later(ms - 1) });
      expect(early.outcome).toEqual(first.outcome);
    }
    const ended = await run('deploy', 'erase_devices', { node, memo, of: slow, now: later(ms) });
    expect(ended.outcome).toEqual(DONE);
  });

  it('can fail at its end', async () => {
    const node = { driverInfo: { ...seconds(1).driverInfo, fake_fail: ['deploy.erase_devices'] } };
    const memo: JsonObject = {};
    expect((await run('deploy', 'erase_devices', { node, memo })).outcome.kind).toBe('wait');
    const failed = run('deploy', 'erase_devices', { node, memo, now: later(1_000) });
    await expect(failed).rejects.toMatchObject({ code: 'bmcFailure' });
  });

  it('is the named one', async () => {
    expect(await run('deploy', 'erase_devices_metadata', { node: listed })).toEqual({
      outcome: DONE,
      done: [],
    });
  });

  it.each([[601], ['1'], [null], [-0.5]])('does not wait for %j', (value) => {
    const node = { driverInfo: { fake_wait: { 'deploy.deploy': value } } } as unknown as Node;
    expect(() => fake.deploy.validate(node, [])).toThrow('must be seconds from 0 to 600');
  });

  it.each([{ fake_wait: null }, { fake_fail: null }])('%j says nothing', (driverInfo) => {
    expect(() => fake.deploy.validate({ driverInfo } as unknown as Node, [])).not.toThrow();
  });
});

describe('deploy', () => {
  it('prepares the boot, then powers on', async () => {
    expect(await run('deploy', 'deploy')).toEqual({ outcome: DONE, done: ['boot the disk', 'power on'] });
  });

  it('waits for the boot interface', async () => {
    const wait = { kind: 'wait' };
    for (const [step, done] of [
      ['deploy', ['boot the disk']],
      ['tear_down', ['power off', 'boot nothing']],
    ] as const) {
      expect(await run('deploy', step, { booted: wait })).toEqual({ outcome: wait, done });
    }
  });

  it('removes all data of an instance that is torn down', async () => {
    const gone = { instanceInfo: {}, instanceUuid: null };
    expect((await run('deploy', 'tear_down')).done).toEqual(['power off', 'boot nothing', gone]);
    const stayingOn = await run('deploy', 'tear_down', { node: { disablePowerOff: true } });
    expect(stayingOn.done).toEqual(['rebooting', 'boot nothing', gone]);
  });

  it.each([
    ['deploy', 'network.configure_tenant_networks', []],
    ['deploy', 'storage.attach_volumes', []],
    ['deploy', 'boot.prepare_instance', []],
    ['tear_down', 'storage.detach_volumes', ['power off']],
    ['tear_down', 'network.unconfigure_tenant_networks', ['power off']],
  ] as const)('%s asks the others on its way, and fails with %s', async (step, action, before) => {
    const node = { driverInfo: { fake_fail: [action] } };
    await expect(run('deploy', step, { node })).rejects.toThrow(`fake hardware fails ${action}`);
    const type = action.split('.')[0] as InterfaceType;
    const { done } = await run('deploy', step, { node, others: [type] });
    expect(done).toEqual(
      expect.arrayContaining([...before, step === 'deploy' ? 'power on' : 'boot nothing']),
    );
  });
});

it('an inspection stores the time of its end', async () => {
  expect(await run('inspect', 'inspect_hardware')).toEqual({
    outcome: DONE,
    done: [{ inspectionFinishedAt: NOW }],
  });
});

it('a rescue restarts the machine if the password is still stored', async () => {
  const rescued = await run('rescue', 'rescue', { operationArgs: { rescuePassword: 'p' } });
  expect(rescued).toEqual({ outcome: DONE, done: ['rebooting'] });
  await expect(run('rescue', 'rescue')).rejects.toMatchObject({ code: 'missingParameter' });
  expect((await run('rescue', 'unrescue')).done).toEqual(['rebooting']);
});

describe('RAID', () => {
  const node = { targetRaidConfig: { logical_disks: [] } };

  it.each<[string, JsonObject, object]>([
    ['create_configuration', {}, { logical_disks: [] }],
    ['delete_configuration', {}, {}],
    ['apply_configuration', { raid_config: { logical_disks: [1] } }, { logical_disks: [1] }],
    ['apply_configuration', { raid_config: 'none' }, {}],
  ])('%s with %j makes it %j', async (step, args, raidConfig) => {
    expect((await run('raid', step, { node, args })).done).toEqual([{ raidConfig }]);
  });
});

describe('BIOS', () => {
  const before = { value: 'off', created_at: '2025-01-01T00:00:00.000Z', updated_at: null };
  const node = {
    driverInternalInfo: { other: 1, fake_bios_settings: { virtualization: before, old: before } },
  };
  const settingsAfter = async (step: string, args: JsonObject) =>
    (await run('bios', step, { node, args })).done;

  it('has exactly the settings that were last applied', async () => {
    const settings = [
      { name: 'virtualization', value: true },
      { name: 'cores', value: 4 },
      { name: 'blank', value: null },
      { name: 'empty' },
    ];
    const fresh = { created_at: AT, updated_at: null };
    expect(await settingsAfter('apply_configuration', { settings })).toEqual([
      {
        driverInternalInfo: {
          other: 1,
          fake_bios_settings: {
            virtualization: { value: 'true', created_at: before.created_at, updated_at: AT },
            cores: { value: '4', ...fresh },
            blank: { value: null, ...fresh },
            empty: { value: null, ...fresh },
          },
        },
      },
    ]);
  });

  it('has no settings after a reset', async () => {
    expect(await settingsAfter('factory_reset', {})).toEqual([
      { driverInternalInfo: { other: 1, fake_bios_settings: {} } },
    ]);
  });

  it.each([['x'], [['x']], [[{ value: 1 }]], [[{ name: 1 }]], [null]])(
    'does not take %j',
    async (settings) => {
      await expect(settingsAfter('apply_configuration', { settings })).rejects.toMatchObject({
        code: 'invalidParameter',
      });
    },
  );

  it('shows them', () => {
    const shown = (kept: unknown) =>
      fake.bios.biosSettings!({ driverInternalInfo: { fake_bios_settings: kept } } as unknown as Node);
    const createdAt = new Date(before.created_at);
    expect(
      shown({ a: before, b: { ...before, updated_at: AT }, c: { ...before, value: null }, d: 1 }),
    ).toEqual([
      { name: 'a', value: 'off', createdAt, updatedAt: null },
      { name: 'b', value: 'off', createdAt, updatedAt: NOW },
      { name: 'c', value: null, createdAt, updatedAt: null },
    ]);
    expect([shown(undefined), shown('none')]).toEqual([[], []]);
  });
});

describe('firmware', () => {
  const url = 'http://files/firmware/bmc-2.1.bin?x=1';
  const kept = { bios: { version: 'bios-1', updated_at: AT } };
  const node = { driverInternalInfo: { other: 1, fake_firmware_components: kept } };

  it('has the version of the file of its update', async () => {
    const settings = [{ component: 'bmc', url }];
    expect((await run('firmware', 'update', { node, args: { settings } })).done).toEqual([
      {
        driverInternalInfo: {
          other: 1,
          fake_firmware_components: { ...kept, bmc: { version: 'bmc-2.1.bin', updated_at: AT } },
        },
      },
    ]);
  });

  it.each([
    ['x'],
    [[1]],
    [[{ component: 'bmc' }]],
    [[{ component: 'nic', url }]],
    [[{ component: 'bmc', url: 'no url' }]],
    [[{ component: 'bmc', url: 'http://files/' }]],
  ])('does not take %j', async (settings) => {
    const refused = run('firmware', 'update', { args: { settings } });
    await expect(refused).rejects.toMatchObject({ code: 'invalidParameter' });
  });

  it('shows the current and the initial version of each component', () => {
    const shown = (more: object) => fake.firmware.firmwareComponents!({ createdAt: NOW, ...more } as Node);
    const bmc = { component: 'bmc', initialVersion: '1.0', vendor: null, model: 'Fake BMC', createdAt: NOW };
    const fresh = { currentVersion: '1.0', lastVersionFlashed: null, updatedAt: null };
    expect(shown(node)).toMatchObject([
      { ...bmc, ...fresh },
      {
        component: 'bios',
        model: null,
        currentVersion: 'bios-1',
        lastVersionFlashed: 'bios-1',
        updatedAt: NOW,
      },
    ]);
    expect(shown({ driverInternalInfo: {} })).toMatchObject([
      { ...bmc, ...fresh },
      { component: 'bios', ...fresh },
    ]);
  });
});
