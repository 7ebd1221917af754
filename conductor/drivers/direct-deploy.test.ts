import { describe, expect, it } from 'vitest';
import { fakeImages } from '../../test/fakes/engine-deps.ts';
import type { BootInterface, StepContext } from '../domain/drivers.ts';
import type { ImageCache } from '../domain/images.ts';
import { parseInstanceInfo } from '../domain/instance-info.ts';
import type { JsonObject } from '../domain/json.ts';
import type { AgentCommandSpec, NodeAgent } from '../domain/node-agent.ts';
import type { StepOutcome, WorkOutcome } from '../domain/step-outcome.ts';
import type { Inventory } from '../domain/store/inventory.ts';
import { createDirectDeploy } from './direct-deploy.ts';

const DONE = { kind: 'done' } as const;
const WAIT: WorkOutcome = {
  kind: 'wait',
  waitingFor: { kind: 'hardware', text: 'the medium' },
  deadline: new Date(0),
  overdue: 'late',
};
/** What the last inspection found. */
let inspected: Inventory | undefined;
const IMAGE = { image_source: 'http://images/x', image_checksum: 'ab'.repeat(32) };
const { steps = [], validate } = createDirectDeploy(fakeImages, async () => inspected);

interface Wanted {
  readonly node?: object;
  readonly instanceInfo?: JsonObject;
  readonly agent?: Partial<NodeAgent>;
  readonly boot?: Partial<BootInterface>;
  readonly memo?: JsonObject;
  readonly images?: ImageCache;
  readonly operation?: object;
}

const turn = () => new Promise((resolve) => setImmediate(resolve));

/**
 * Runs a step; returns its outcome and its effects in the order in which they ended. Effects that the step does not
 * await are missing.
 */
async function runStep(
  name: string,
  wanted: Wanted = {},
): Promise<{ outcome: StepOutcome; done: unknown[] }> {
  const done: unknown[] = [];
  let busy = false;
  const ended = async (what: unknown): Promise<void> => {
    if (busy) throw new Error(`${JSON.stringify(what)} does not wait for what is before it`);
    busy = true;
    await turn();
    busy = false;
    done.push(what);
  };
  const doing =
    (what: string, outcome: WorkOutcome = DONE) =>
    async (): Promise<WorkOutcome> => {
      await ended(what);
      return outcome;
    };
  const { instanceInfo = IMAGE } = wanted;
  let memo = wanted.memo ?? {};
  const context = {
    node: {
      uuid: 'n',
      instanceInfo,
      properties: {},
      bootMode: 'uefi',
      disablePowerOff: false,
      ...wanted.node,
    },
    instance: parseInstanceInfo(instanceInfo),
    ports: [],
    signal: new AbortController().signal,
    operation: { id: 1, kind: 'deploy', args: {}, steps: [], ...wanted.operation },
    get step() {
      return { step: name, memo };
    },
    hardware: {
      management: {},
      boot: { prepareInstance: doing('boot the disk'), cleanUp: doing('boot nothing'), ...wanted.boot },
    },
    agent: {
      follow: async ({ name: command, params }: AgentCommandSpec) => {
        done.push([command, await params()]);
        return DONE;
      },
      call: (command: string) => ended(command),
      ...wanted.agent,
    },
    images: wanted.images ?? fakeImages,
    configDrives: { build: async (input: unknown) => `built of ${JSON.stringify(input)}` },
    services: { plainUrl: 'http://192.0.2.1:8089', tlsUrl: null },
    limits: { commandMs: 1_000, longCommandMs: 9_000 },
    now: () => new Date(),
    remember: async (more: JsonObject) => {
      memo = { ...memo, ...more };
      await ended(more);
    },
    updateNode: (patch: object) => ended(patch),
    setPower: (target: string) => ended(target),
  } as unknown as StepContext;
  const outcome = await steps.find(({ step }) => step === name)!.advance(context);
  return { outcome, done };
}

describe('tear_down_cleaning', () => {
  const disk = (name: string, serial: string) => ({ name, serial, wwn: null });
  const erased = { memo: { erased: [disk('/dev/sda', 'S1')] } };
  const tearDown = (operation: object, node = {}) => {
    inspected = {
      inventory: { disks: [disk('/dev/sda', 'S1'), disk('/dev/sdb', 'S2')] },
      pluginData: {},
    };
    return runStep('tear_down_cleaning', { operation, node });
  };

  it('fails when an inspected disk was not erased', async () => {
    await expect(tearDown({ steps: [erased] })).rejects.toMatchObject({
      code: 'agentFailure',
      message: expect.stringMatching(/^the agent did not report as erased: \/dev\/sdb \(serial S2\)\. /),
    });
  });

  it.each<[string, object, object]>([
    ['every disk was', { steps: [erased, { memo: { erased: [disk('/dev/sdc', 'S2')] } }] }, {}],
    ['a skip list names it', { steps: [erased] }, { properties: { skip_block_devices: [{ serial: 's2' }] } }],
    ['the operator chose the steps', { args: { manual: true } }, {}],
  ])('leaves the ramdisk when %s', async (_, operation, node) => {
    const { outcome, done } = await tearDown(operation, node);
    expect([outcome, done]).toEqual([DONE, ['power off', 'boot nothing']]);
  });

  it('leaves the ramdisk of a node that was never inspected', async () => {
    inspected = undefined;
    expect((await runStep('tear_down_cleaning')).outcome).toEqual(DONE);
  });
});

describe('write_image', () => {
  const argsOf = async (instanceInfo: JsonObject): Promise<JsonObject> => {
    let args: JsonObject = {};
    const executeStep: NodeAgent['executeStep'] = async (make) => {
      args = await make();
      return DONE;
    };
    await runStep('write_image', { instanceInfo, agent: { executeStep } });
    return args;
  };

  it('uses the checksum that was read when the deployment began', async () => {
    const seen: unknown[] = [];
    const ensure: ImageCache['ensure'] = (request, options) => {
      seen.push([request.source, options.reuseChecksum]);
      return fakeImages.ensure(request, options);
    };
    const executeStep: NodeAgent['executeStep'] = async (make) => {
      await make();
      return DONE;
    };
    await runStep('write_image', { images: { ...fakeImages, ensure }, agent: { executeStep } });
    expect(seen).toEqual([[IMAGE.image_source, true]]);
  });

  it('names the image, and builds the config drive when it is sent', async () => {
    expect(await argsOf({ ...IMAGE, configdrive: { meta_data: {} } })).toMatchObject({
      image_info: { node_uuid: 'n', urls: ['http://192.0.2.1:8089/images/ab/raw'] },
      configdrive: 'built of {"meta_data":{}}',
    });
    expect(await argsOf(IMAGE)).toMatchObject({ configdrive: null });
  });
});

describe('prepare_instance_boot', () => {
  const bootloader = (mode: string) => [
    'image.install_bootloader',
    {
      root_uuid: null,
      efi_system_part_uuid: null,
      prep_boot_part_uuid: null,
      target_boot_mode: mode,
      ignore_bootloader_failure: false,
    },
  ];
  const bios = { ...IMAGE, capabilities: 'boot_mode:bios' };
  const ours = { agent: { version: 'ingot/1' } };

  it('has the agent set up UEFI, then boots the disk', async () => {
    const { outcome, done } = await runStep('prepare_instance_boot');
    expect(outcome).toEqual(DONE);
    expect(done).toEqual([bootloader('uefi'), { bootMode: 'uefi' }, 'boot the disk']);
  });

  it('uses only our agent on BIOS: ironic-python-agent would fail', async () => {
    const others = { agent: { version: '9.1.0' } };
    expect((await runStep('prepare_instance_boot', { instanceInfo: bios, node: others })).done).toEqual([
      { bootMode: 'bios' },
      'boot the disk',
    ]);
    const { done } = await runStep('prepare_instance_boot', { instanceInfo: bios, node: ours });
    expect(done[0]).toEqual(bootloader('bios'));
  });

  it('waits for the agent, and for the boot interface', async () => {
    const slow = await runStep('prepare_instance_boot', { agent: { follow: async () => WAIT } });
    expect(slow).toEqual({ outcome: WAIT, done: [] });
    const medium = await runStep('prepare_instance_boot', { boot: { prepareInstance: async () => WAIT } });
    expect(medium.outcome).toBe(WAIT);
  });
});

describe('what follows', () => {
  it('makes the agent flush its disks once, then powers off', async () => {
    expect((await runStep('tear_down_agent')).done).toEqual(['standby.sync', { synced: true }, 'power off']);
    expect((await runStep('tear_down_agent', { memo: { synced: true } })).done).toEqual(['power off']);
  });

  it('removes all data of the instance after the clean-up of the boot', async () => {
    const gone = { instanceInfo: {}, instanceUuid: null };
    expect((await runStep('tear_down')).done).toEqual(['power off', 'boot nothing', gone]);
    const slow = await runStep('tear_down', { boot: { cleanUp: async () => WAIT } });
    expect(slow).toEqual({ outcome: WAIT, done: ['power off'] });
  });
});

describe('a deployment boots its agent', () => {
  const heard = { heartbeatSince: () => new Date() };

  it('and learns its steps when it has reported', async () => {
    const memo = { phase: 'booting', since: new Date(0).toISOString() };
    const learnt: StepOutcome = { kind: 'done', insert: [] };
    const agent = { learnSteps: async () => learnt };
    const step = steps.find((one) => one.step === 'deploy')!;
    const context = { ...heard, agent, step: { memo } } as unknown as StepContext;
    expect(await step.advance(context)).toBe(learnt);
  });
});

it('rejects a node without an image, or with invalid hints', () => {
  const node = (instanceInfo: JsonObject) => ({ instanceInfo, properties: {} }) as never;
  expect(() => validate(node(IMAGE), [])).not.toThrow();
  expect(() => validate(node({}), [])).toThrow(/image_source is missing/);
  expect(() => validate(node({ ...IMAGE, root_device: { colour: 'red' } }), [])).toThrow(/root_device/);
});

it('has these steps: those that write or leave the ramdisk can not be aborted', () => {
  const table = steps.map(({ operation, step, priority, abortable }) => [
    operation,
    step,
    priority,
    abortable,
  ]);
  expect(table).toEqual([
    ['deploy', 'cache_image', 110, true],
    ['deploy', 'deploy', 100, true],
    ['deploy', 'write_image', 80, false],
    ['deploy', 'prepare_instance_boot', 60, false],
    ['deploy', 'tear_down_agent', 40, false],
    ['deploy', 'switch_to_tenant_network', 30, false],
    ['deploy', 'boot_instance', 20, false],
    ['clean', 'prepare_cleaning', 1_000, true],
    ['clean', 'tear_down_cleaning', -1, false],
    ['delete', 'tear_down', 100, false],
  ]);
  expect(new Set(steps.map(({ onRestart }) => onRestart))).toEqual(new Set(['resume']));
});

it('the last steps of a deploy are done when the instance has power', async () => {
  expect(await runStep('boot_instance')).toEqual({ outcome: DONE, done: ['power on'] });
  expect(await runStep('switch_to_tenant_network')).toEqual({ outcome: DONE, done: [] });
});
