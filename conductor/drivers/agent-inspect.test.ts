import { describe, expect, it } from 'vitest';
import { loopbackOutbound } from '../../test/fakes/outbound.ts';
import type { StepContext } from '../domain/drivers.ts';
import type { InspectionRule } from '../domain/inspection-rules/rule.ts';
import type { JsonObject } from '../domain/json.ts';
import type { Node } from '../domain/node.ts';
import { createAgentInspect, type InspectionStore } from './agent-inspect.ts';

const KNOWN = '52:54:00:00:00:01';
const NEW = '52:54:00:00:00:02';
const INVENTORY = {
  cpu: { architecture: 'x86_64', count: 8 },
  interfaces: [{ mac_address: KNOWN }, { mac_address: NEW }],
};
const turn = () => new Promise((resolve) => setImmediate(resolve));

interface Wanted {
  readonly found?: { readonly inventory: JsonObject; readonly pluginData: JsonObject } | undefined;
  readonly rules?: readonly object[];
  readonly node?: Partial<Node>;
  readonly memo?: JsonObject;
}

/** Runs a step; returns its outcome and its effects in the order in which they ended. */
async function runStep(name: string, { found, rules = [], node = {}, memo = {} }: Wanted) {
  const done: unknown[] = [];
  const doing = async (...what: unknown[]): Promise<void> => {
    await turn();
    done.push(what);
  };
  const store: InspectionStore = {
    inventoryOf: async () => found,
    addPort: (...port) => doing('port', ...port),
    inspectionRules: async () => rules as readonly InspectionRule[],
    portsOf: async () => [],
    changePort: () => doing('change port'),
    keepInventory: () => doing('keep'),
    log: (...line) => void done.push(line),
  };
  const { steps = [] } = createAgentInspect(
    { callbackUrl: 'http://192.0.2.1/continue' },
    store,
    loopbackOutbound,
  );
  const context = {
    node: {
      uuid: 'n',
      properties: { capabilities: 'a:b', cpus: 1 },
      driverInternalInfo: {},
      traits: [],
      ...node,
    },
    ports: [{ address: KNOWN }],
    signal: new AbortController().signal,
    step: { memo },
    hardware: {
      management: {},
      boot: {
        prepareRamdisk: async (_: unknown, __: unknown, kernelParams: JsonObject) => {
          await doing('boot', kernelParams);
          return { kind: 'done' };
        },
      },
    },
    now: () => new Date(0),
    remember: async (more: JsonObject) => void Object.assign(memo, more),
    bootProgress: async () => ({ deadline: new Date(1), overdue: false, message: 'late' }),
    updateNode: (patch: object) => doing('node', patch),
    setPower: (target: string) => doing('power', target),
  } as unknown as StepContext;
  const outcome = await steps.find(({ step }) => step === name)!.advance(context);
  return { outcome, done };
}

it('has steps that can be aborted and continue after a restart', () => {
  const { steps = [] } = createAgentInspect({ callbackUrl: null }, {} as InspectionStore, loopbackOutbound);
  expect(steps.map(({ step, priority }) => [step, priority])).toEqual([
    ['boot_ramdisk', 100],
    ['process_inventory', 50],
    ['power_off', -1],
  ]);
  for (const { operation, abortable, onRestart } of steps) {
    expect([operation, abortable, onRestart]).toEqual(['inspect', true, 'resume']);
  }
});

describe('boot_ramdisk', () => {
  it('passes the URL for the inventory to the agent, and waits for it', async () => {
    const { outcome, done } = await runStep('boot_ramdisk', { node: { inspectionFinishedAt: null } });
    expect(outcome).toMatchObject({ kind: 'wait', waitingFor: { kind: 'agent' } });
    expect(done).toEqual([
      [
        'boot',
        {
          'ipa-inspection-callback-url': 'http://192.0.2.1/continue',
          'ipa-inspection-collectors': 'default,logs',
        },
      ],
      ['power', 'rebooting'],
    ]);
  });

  it('is done when the inventory has arrived', async () => {
    const memo = { phase: 'booting', since: new Date(0).toISOString() };
    const node = { inspectionFinishedAt: new Date(0) };
    expect(await runStep('boot_ramdisk', { node, memo })).toEqual({ outcome: { kind: 'done' }, done: [] });
  });
});

describe('process_inventory', () => {
  it('adds missing ports, then merges the properties', async () => {
    const { outcome, done } = await runStep('process_inventory', {
      found: { inventory: INVENTORY, pluginData: {} },
    });
    expect(outcome).toEqual({ kind: 'done' });
    expect(done).toEqual([
      ['port', 'n', NEW],
      ['node', { properties: { capabilities: 'a:b', cpus: 8, cpu_arch: 'x86_64' } }],
    ]);
  });

  it('records the boot mode when the ramdisk reports it', async () => {
    const inventory = { boot: { current_boot_mode: 'bios', pxe_interface: KNOWN } };
    const { done } = await runStep('process_inventory', { found: { inventory, pluginData: {} } });
    expect(done).toEqual([['node', { properties: { capabilities: 'a:b', cpus: 1 }, bootMode: 'bios' }]]);
  });

  it('runs the rules last; one of them may fail the inspection', async () => {
    const actions = [
      { op: 'log', args: { msg: 'seen' } },
      { op: 'fail', args: { msg: 'too small' } },
    ];
    const rules = [{ uuid: 'r', description: null, priority: 0, sensitive: false, conditions: [], actions }];
    const found = { inventory: {}, pluginData: {} };
    await expect(runStep('process_inventory', { found, rules })).rejects.toThrow('too small');
  });

  it('fails with the reason why the data was refused', async () => {
    const node = { driverInternalInfo: { inspection_problem: 'the inspection data was refused: x' } };
    const failed = runStep('process_inventory', { node, found: { inventory: INVENTORY, pluginData: {} } });
    await expect(failed).rejects.toThrow(/^the inspection data was refused: x$/);
  });

  it.each<[string, JsonObject | undefined]>([
    ['is no longer stored', undefined],
    ['the ramdisk reported: no disk', { error: 'no disk' }],
  ])('fails: %s', async (text, pluginData) => {
    const found = pluginData && { inventory: {}, pluginData };
    const failed = runStep('process_inventory', { found });
    await expect(failed).rejects.toThrow(text);
    await expect(failed).rejects.toMatchObject({ code: 'agentFailure' });
  });

  it.each([{ error: '' }, { error: null }, {}])('takes %j for no failure', async (pluginData) => {
    const { outcome } = await runStep('process_inventory', { found: { inventory: {}, pluginData } });
    expect(outcome).toEqual({ kind: 'done' });
  });
});
