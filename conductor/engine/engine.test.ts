import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, describe, expect, it } from 'vitest';
import { TEST_ENDPOINTS, TEST_NETWORK_BOOT } from '../../test/fakes/agent-endpoints.ts';
import { testCallbackCheck } from '../../test/fakes/callback-check.ts';
import { fakeConfigDrives, fakeImages, quietLogger, testSettings } from '../../test/fakes/engine-deps.ts';
import { NO_TRUST_EVENTS } from '../../test/fakes/trust-events.ts';
import type { AgentCommands } from '../agent-link/agent-commands.ts';
import { createAgentLink } from '../agent-link/agent-link.ts';
import { createRamdiskIntake } from '../agent-link/ramdisk-intake.ts';
import type { Mac } from '../domain/boot.ts';
import type { DriverInterface, HardwareType, StepImplementation } from '../domain/drivers.ts';
import { IngotError } from '../domain/errors.ts';
import type { RamdiskIntake } from '../domain/ramdisk-intake.ts';
import type { Store } from '../domain/store/store.ts';
import type { Verb } from '../domain/verbs.ts';
import { createDirectDeploy } from '../drivers/direct-deploy.ts';
import { createFakeInterfaces } from '../drivers/fake/interfaces.ts';
import { createHardwareTypes } from '../drivers/hardware-types.ts';
import { createNetworkBoot } from '../drivers/network-boot.ts';
import { openStore } from '../store/sqlite/store.ts';
import { createEngine } from './create-engine.ts';
import type { Engine } from './engine.ts';

const MAC = '52:54:00:00:00:01' as Mac;
const closers: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

const fake = createFakeInterfaces();

function types(deploy: readonly DriverInterface[]): HardwareType[] {
  const all = createHardwareTypes({
    fake,
    ipmiPower: fake.power,
    ipmiManagement: fake.management,
    ipxe: createNetworkBoot('ipxe', TEST_NETWORK_BOOT),
    pxe: createNetworkBoot('pxe', TEST_NETWORK_BOOT),
    direct: createDirectDeploy(fakeImages, async () => undefined),
    agentInspect: fake.inspect,
  });
  return all.map((type) => ({
    ...type,
    interfaces: { ...type.interfaces, deploy: [...deploy, ...type.interfaces.deploy] },
  }));
}

interface Setup {
  readonly store: Store;
  readonly engine: Engine;
  readonly ramdisk: RamdiskIntake;
}

async function setUp(
  options: { store?: Store; deploy?: readonly DriverInterface[]; agent?: AgentCommands } = {},
): Promise<Setup> {
  const store = options.store ?? (await openStore({ path: ':memory:' }));
  if (options.store === undefined) closers.push(() => store.close());
  const engine = createEngine({
    store,
    hardwareTypes: types(options.deploy ?? []),
    images: fakeImages,
    configDrives: fakeConfigDrives,
    agents: createAgentLink(() => options.agent ?? (Promise.reject(new Error('no agent here')) as never)),
    services: TEST_ENDPOINTS,
    settings: testSettings,
    logger: quietLogger,
    now: () => new Date(),
  });
  await engine.start();
  closers.push(() => engine.stop());
  const ramdisk = createRamdiskIntake({
    store,
    logger: quietLogger,
    now: () => new Date(),
    wake: engine.wake,
    callbackProblem: testCallbackCheck(store),
    trust: NO_TRUST_EVENTS,
    allowPlaintext: true,
  });
  return { store, engine, ramdisk };
}

async function enroll({ engine }: Setup, interfaces: Record<string, string> = {}): Promise<string> {
  const { uuid } = await engine.createNode({
    driver: 'fake-hardware',
    interfaces,
    fields: { instanceInfo: { image_source: 'http://images/x', image_checksum: 'ab'.repeat(32) } },
  });
  await engine.createPort({ uuid: crypto.randomUUID(), nodeUuid: uuid, address: MAC });
  return uuid;
}

async function until(check: () => Promise<boolean>, what: string): Promise<void> {
  const deadline = Date.now() + 5_000;
  while (!(await check())) {
    if (Date.now() > deadline) throw new Error(`never: ${what}`);
    await sleep(2);
  }
}

async function reach({ store }: Setup, uuid: string, state: string): Promise<void> {
  const there = async () => {
    const node = await store.nodes.find(uuid);
    return node?.provisionState === state && node.holder === null;
  };
  await until(there, state).catch(async () => {
    const node = await store.nodes.find(uuid);
    throw new Error(`node is ${node?.provisionState}, not ${state}; last_error: ${node?.lastError}`);
  });
}

async function go(setup: Setup, uuid: string, verb: Verb, state: string): Promise<void> {
  await setup.engine.provision(uuid, { verb });
  await reach(setup, uuid, state);
}

describe('the life of a node on fake hardware', () => {
  it('is deployed and becomes available again', async () => {
    const setup = await setUp();
    const uuid = await enroll(setup);
    await go(setup, uuid, 'manage', 'manageable');
    await go(setup, uuid, 'inspect', 'manageable');
    await go(setup, uuid, 'provide', 'available');
    await go(setup, uuid, 'active', 'active');
    expect(await setup.store.nodes.find(uuid)).toMatchObject({
      powerState: 'power on',
      lastError: null,
      currentStep: null,
    });
    await go(setup, uuid, 'deleted', 'available');
    expect(await setup.store.nodes.find(uuid)).toMatchObject({
      powerState: 'power off',
      instanceInfo: {},
      holder: null,
    });
    const kinds = (await setup.store.operations.list(uuid, 10)).map((one) => `${one.kind} ${one.state}`);
    expect(kinds).toEqual([
      'clean done',
      'delete done',
      'deploy done',
      'clean done',
      'inspect done',
      'verify done',
    ]);
  });

  it('refuses a verb that the state does not allow, and names the allowed ones', async () => {
    const setup = await setUp();
    const uuid = await enroll(setup);
    await expect(setup.engine.provision(uuid, { verb: 'active' })).rejects.toThrow(
      /in state "enroll". Legal now: manage\./,
    );
    expect(await setup.store.operations.list(uuid, 10)).toEqual([]);
  });

  it('refuses to start work in maintenance and on a protected node', async () => {
    const setup = await setUp();
    const uuid = await enroll(setup);
    await go(setup, uuid, 'manage', 'manageable');
    await setup.engine.setMaintenance(uuid, { on: true, reason: 'fan' });
    await go(setup, uuid, 'provide', 'available');
    await expect(setup.engine.provision(uuid, { verb: 'active' })).rejects.toThrow(
      /maintenance mode \(fan\)/,
    );
    await setup.engine.setMaintenance(uuid, { on: false });
    await go(setup, uuid, 'active', 'active');
    await setup.engine.updateNode(uuid, 'test', () => ({ protected: true }));
    await expect(setup.engine.provision(uuid, { verb: 'deleted' })).rejects.toMatchObject({
      code: 'forbidden',
    });
  });

  it('names the verb that an interface does not support', async () => {
    const setup = await setUp();
    const uuid = await enroll(setup, { rescue: 'no-rescue' });
    await go(setup, uuid, 'manage', 'manageable');
    await go(setup, uuid, 'provide', 'available');
    await go(setup, uuid, 'active', 'active');
    const request = { verb: 'rescue', rescuePassword: 'letmein' } as const;
    await expect(setup.engine.provision(uuid, request)).rejects.toThrow(/does not support "rescue"/);
  });
});

const deployOf = (
  advance: StepImplementation['advance'],
  more: Partial<StepImplementation> = {},
): DriverInterface => ({
  ...fake.deploy,
  name: 'scripted',
  steps: [
    {
      operation: 'deploy',
      step: 'work',
      priority: 50,
      abortable: true,
      onRestart: 'resume',
      advance,
      ...more,
    },
    ...fake.deploy.steps!.filter((step) => step.operation !== 'deploy'),
  ],
});

async function availableWith(setup: Setup): Promise<string> {
  const uuid = await enroll(setup, { deploy: 'scripted' });
  await go(setup, uuid, 'manage', 'manageable');
  await go(setup, uuid, 'provide', 'available');
  return uuid;
}

const waiting = (deadlineMs = 60_000) => ({
  kind: 'wait' as const,
  waitingFor: { kind: 'agent' as const, text: 'agent to call back' },
  deadline: new Date(Date.now() + deadlineMs),
  overdue: 'nobody came',
});

describe('failures', () => {
  it('ends in deploy failed with the step and the reason, and a retry works', async () => {
    let broken = true;
    const setup = await setUp({
      deploy: [
        deployOf(async () => {
          if (broken) throw new IngotError('agentFailure', 'the disk is on fire');
          return { kind: 'done' };
        }),
      ],
    });
    const uuid = await availableWith(setup);
    await go(setup, uuid, 'active', 'deploy failed');
    const node = await setup.store.nodes.find(uuid);
    expect(node?.lastError).toBe('deploy step deploy.work failed: the disk is on fire.');
    expect(node).toMatchObject({
      powerState: 'power off',
      maintenance: false,
      targetProvisionState: 'active',
    });
    expect((await setup.store.history.list(uuid, { limit: 10 })).at(-1)).toMatchObject({
      severity: 'ERROR',
      event: node?.lastError,
    });
    broken = false;
    await go(setup, uuid, 'active', 'active');
    expect((await setup.store.nodes.find(uuid))?.lastError).toBeNull();
  });

  it('fails a wait at its deadline, naming what did not come', async () => {
    const deadline = waiting(50);
    const setup = await setUp({ deploy: [deployOf(async () => deadline)] });
    const uuid = await availableWith(setup);
    await go(setup, uuid, 'active', 'deploy failed');
    expect((await setup.store.nodes.find(uuid))?.lastError).toContain('nobody came');
  });

  it('aborts a wait for the agent at once', async () => {
    const setup = await setUp({ deploy: [deployOf(async () => waiting())] });
    const uuid = await availableWith(setup);
    await go(setup, uuid, 'active', 'wait call-back');
    await go(setup, uuid, 'abort', 'deploy failed');
    expect((await setup.store.operations.list(uuid, 1))[0]).toMatchObject({ state: 'aborted' });
  });

  it('aborts after the current step when that step is not abortable', async () => {
    let ended = false;
    const stubborn = () => ({
      ...waiting(),
      waitingFor: { kind: 'command' as const, text: 'agent_erase of the disks' },
    });
    const setup = await setUp({
      deploy: [
        deployOf(async () => (ended ? { kind: 'done' } : stubborn()), { abortable: false, priority: 110 }),
      ],
    });
    const uuid = await availableWith(setup);
    const last = { interface: 'vendor', step: 'log_passthrough', args: {}, priority: 10 };
    await setup.engine.provision(uuid, { verb: 'active', deploySteps: [last] });
    await reach(setup, uuid, 'wait call-back');
    await setup.engine.provision(uuid, { verb: 'abort' });
    setup.engine.wake(uuid);
    await reach(setup, uuid, 'wait call-back');
    ended = true;
    setup.engine.wake(uuid);
    await reach(setup, uuid, 'deploy failed');
    const [operation] = await setup.store.operations.list(uuid, 1);
    expect(operation).toMatchObject({ state: 'aborted' });
    expect(operation?.steps.map(({ step, state }) => `${step} ${state}`)).toEqual([
      'work done',
      'log_passthrough failed',
    ]);
  });

  it('lets the verb deleted end a waiting deployment', async () => {
    const setup = await setUp({ deploy: [deployOf(async () => waiting())] });
    const uuid = await availableWith(setup);
    await go(setup, uuid, 'active', 'wait call-back');
    await go(setup, uuid, 'deleted', 'available');
  });
});

describe('restart', () => {
  it.each([
    { onRestart: 'resume', calls: 2, memo: { phase: 'begun' }, state: 'active' },
    { onRestart: 'rerun', calls: 2, memo: {}, state: 'active' },
    { onRestart: 'fail', calls: 1, memo: undefined, state: 'deploy failed' },
  ] as const)('goes on as the step declares: $onRestart', async ({ onRestart, calls, memo, state }) => {
    let count = 0;
    let seen: object | undefined;
    const stuck: StepImplementation['advance'] = async (context) => {
      count += 1;
      if (count === 1) {
        await context.remember({ phase: 'begun' });
        return new Promise(() => undefined);
      }
      seen = context.step.memo;
      return { kind: 'done' };
    };
    const deploy = [deployOf(stuck, { onRestart })];
    const store = await openStore({ path: ':memory:' });
    const first = await setUp({ store, deploy });
    const uuid = await availableWith(first);
    await first.engine.provision(uuid, { verb: 'active' });
    await until(
      async () => (await store.operations.current(uuid))?.steps[0]?.memo['phase'] === 'begun',
      'the first half',
    );
    closers.splice(0);
    // The first conductor is not stopped, but does not act again: as after SIGKILL.
    const second = await setUp({ store, deploy });
    await reach(second, uuid, state);
    expect({ count, seen }).toEqual({ count: calls, seen: memo });
    expect((await store.nodes.find(uuid))?.holder).toBeNull();
  });
});

describe('the agent', () => {
  const token = async ({ ramdisk }: Setup): Promise<string> =>
    (await ramdisk.lookup({ macs: [MAC], source: '192.0.2.9' })).token;
  const beat = (setup: Setup, uuid: string, agentToken: string | null) =>
    setup.ramdisk.heartbeat(uuid, {
      callbackUrl: 'http://192.0.2.9:9999',
      token: agentToken,
      version: 'ingot/1',
      verifyCa: null,
      source: '192.0.2.9',
    });

  async function booting(): Promise<{ setup: Setup; uuid: string }> {
    const setup = await setUp({
      deploy: [
        deployOf(async (context) =>
          context.heartbeatSince(context.operation.startedAt) === undefined ? waiting() : { kind: 'done' },
        ),
      ],
    });
    const uuid = await availableWith(setup);
    await go(setup, uuid, 'active', 'wait call-back');
    return { setup, uuid };
  }

  it('gets the same error for an unknown machine and for a wrong state', async () => {
    const setup = await setUp();
    await enroll(setup);
    const text = async (mac: Mac) =>
      setup.ramdisk.lookup({ macs: [mac], source: '192.0.2.9' }).catch((error: Error) => error.message);
    expect(await text(MAC)).toBe(await text('52:54:00:00:00:99' as Mac));
  });

  it('gets its token once, must send it from the same URL, and its heartbeat continues the deployment', async () => {
    const { setup, uuid } = await booting();
    const given = await token(setup);
    expect(given).toHaveLength(43);
    expect(await token(setup)).toBe('******');
    await expect(beat(setup, uuid, null)).rejects.toThrow(/token is missing or wrong/);
    await expect(beat(setup, uuid, `${given.slice(0, -1)}!`)).rejects.toThrow(/token is missing or wrong/);
    await beat(setup, uuid, given);
    await reach(setup, uuid, 'active');
  });

  it('session ends at power off', async () => {
    const { setup, uuid } = await booting();
    const given = await token(setup);
    await go(setup, uuid, 'abort', 'deploy failed');
    await expect(beat(setup, uuid, given)).rejects.toThrow(/no agent has looked this node up/);
  });
});
