import { describe, expect, it } from 'vitest';
import {
  startTestEngineParts,
  type TestEngineParts,
  type TestEnginePartsOptions,
} from '../../test/fakes/test-engine-parts.ts';
import type { StepImplementation } from '../domain/drivers.ts';
import type { NewNode } from '../domain/node.ts';
import type { OperationKind } from '../domain/operations.ts';
import type { Step } from '../domain/steps.ts';
import type { ProvisionRequest } from './engine.ts';
import { planSteps } from './step-plan.ts';

const step = (
  operation: OperationKind,
  name: string,
  priority: number,
  more: Partial<StepImplementation> = {},
): StepImplementation => ({
  operation,
  step: name,
  priority,
  abortable: true,
  onRestart: 'resume',
  advance: async () => ({ kind: 'done' }),
  ...more,
});
const settings = { description: 'What to set.', required: true };
const steps: TestEnginePartsOptions['steps'] = {
  deploy: [
    step('deploy', 'boot', 100),
    step('deploy', 'write', 80),
    step('clean', 'boot', 1_000),
    step('clean', 'erase', 10),
    step('clean', 'close', -1),
    step('inspect', 'look', 100),
  ],
  bios: [
    step('deploy', 'apply', 0, { argsInfo: { settings } }),
    step('clean', 'apply', 0, { argsInfo: { settings } }),
  ],
};

async function plan(
  test: TestEngineParts,
  request: ProvisionRequest,
  kind: OperationKind,
  fields: Partial<NewNode> = {},
) {
  const node = await test.add(fields);
  return planSteps(test.parts, test.parts.hardware.of(node), node, request, kind);
}
const named = (all: readonly Step[]) => all.map((one) => `${one.interface}.${one.step} ${one.priority}`);
const apply = { interface: 'bios', step: 'apply', args: { settings: [] } };
const burn = { interface: 'deploy', step: 'burn', args: {} };

describe('automatic steps', () => {
  it('are those of the interfaces by priority', async () => {
    await using test = await startTestEngineParts({ steps });
    const provide = await plan(test, { verb: 'provide' }, 'clean');
    expect(named(provide.steps)).toEqual(['deploy.boot 1000', 'deploy.erase 10', 'deploy.close -1']);
    expect(provide.args).toEqual({});
    expect(named((await plan(test, { verb: 'inspect' }, 'inspect')).steps)).toEqual(['deploy.look 100']);
  });

  it.each([
    [true, null, 3],
    [true, false, 0],
    [false, null, 0],
    [false, true, 3],
  ])('of cleaning follow the setting %s unless the node says %s', async (automatedClean, own, count) => {
    await using test = await startTestEngineParts({ steps, settings: { automatedClean } });
    expect((await plan(test, { verb: 'provide' }, 'clean', { automatedClean: own })).steps).toHaveLength(
      count,
    );
    expect((await plan(test, { verb: 'inspect' }, 'inspect', { automatedClean: own })).steps).toHaveLength(1);
  });

  it('that no interface has make the verb unsupported; only cleaning may have none', async () => {
    await using test = await startTestEngineParts();
    await expect(plan(test, { verb: 'rescue' }, 'rescue')).rejects.toThrow(
      'Driver "fake-hardware" of node n1 does not support "rescue" with its present interfaces.',
    );
    expect((await plan(test, { verb: 'provide' }, 'clean')).steps).toEqual([]);
  });
});

describe('given steps', () => {
  it('run in the given order, between those that open and close cleaning', async () => {
    await using test = await startTestEngineParts({ steps });
    const erase = { interface: 'deploy', step: 'erase' };
    const { steps: planned, args } = await plan(
      test,
      { verb: 'clean', cleanSteps: [erase, apply, burn] },
      'clean',
    );
    expect(planned.map((one) => `${one.step} ${one.where}`)).toEqual([
      'boot conductor',
      'erase conductor',
      'apply conductor',
      'burn agent',
      'close conductor',
    ]);
    expect(args).toEqual({ manual: true });
  });

  it('without the ramdisk run alone, and none may be one of the agent', async () => {
    await using test = await startTestEngineParts({ steps });
    const request = { verb: 'clean', cleanSteps: [apply], disableRamdisk: true } as const;
    expect(named((await plan(test, request, 'clean')).steps)).toEqual(['bios.apply 1']);
    await expect(plan(test, { ...request, cleanSteps: [burn] }, 'clean')).rejects.toThrow(
      /No interface of this node has the clean step deploy.burn, and disable_ramdisk keeps the agent away. There are: /,
    );
  });

  it('of service need an agent, and without the ramdisk there is none', async () => {
    await using test = await startTestEngineParts({ steps });
    await expect(plan(test, { verb: 'service', serviceSteps: [burn] }, 'service')).rejects.toThrow(
      'its deploy interface "fake" boots no agent for service',
    );
  });

  it.each([
    [{}, /clean needs at least one step in "clean_steps"/],
    [{ cleanSteps: [{ interface: 'bios' }] }, /clean_steps\[0\]: "step" must name a step/],
    [{ cleanSteps: [{ step: 'erase' }] }, /clean_steps\[0\]: "interface" must be one of bios, boot/],
    [{ cleanSteps: [{ ...apply, args: [] }] }, /clean_steps\[0\]: "args" must be an object/],
    [
      { cleanSteps: [apply, { ...apply, args: {} }] },
      /clean_steps\[1\]: the step needs the argument "settings": What to set\./,
    ],
    [
      { cleanSteps: [{ ...apply, args: { x: 1 } }] },
      /clean_steps\[0\]: the step takes no argument "x", only settings/,
    ],
  ])('are checked: %j', async (given, text) => {
    await using test = await startTestEngineParts({ steps });
    await expect(plan(test, { verb: 'clean', ...given }, 'clean')).rejects.toThrow(text);
  });

  it('for child nodes are not checked here', async () => {
    await using test = await startTestEngineParts({ steps });
    const onAll = { interface: 'power', step: 'anything', execute_on_child_nodes: true };
    const onSome = { ...onAll, limit_child_node_execution: ['n7'] };
    const { steps: planned } = await plan(test, { verb: 'clean', cleanSteps: [onAll, onSome] }, 'clean');
    expect(planned.map((one) => one.onChildren)).toEqual([undefined, true, ['n7'], undefined]);
  });
});

describe('merged steps', () => {
  const deploy = (deploySteps: object[]): ProvisionRequest => ({
    verb: 'active',
    deploySteps: deploySteps as never,
  });

  it('of the request override those of templates, which override the automatic ones', async () => {
    await using test = await startTestEngineParts({ steps });
    const template = [
      { ...apply, priority: 90 },
      { interface: 'deploy', step: 'write', args: {}, priority: 70 },
    ];
    await test.store.deployTemplates.create(
      { uuid: 't1', name: 'CUSTOM_A', steps: template },
      test.clock.now,
    );
    const fields = { instanceInfo: { traits: ['CUSTOM_A', 'CUSTOM_B'] } };
    expect(named((await plan(test, { verb: 'active' }, 'deploy', fields)).steps)).toEqual([
      'deploy.boot 100',
      'bios.apply 90',
      'deploy.write 70',
    ]);
    const asked = deploy([{ ...apply, priority: 60 }]);
    expect(named((await plan(test, asked, 'deploy', fields)).steps)).toEqual([
      'deploy.boot 100',
      'deploy.write 70',
      'bios.apply 60',
    ]);
  });

  it('of the agent that the operator disables are stored until they are known', async () => {
    await using test = await startTestEngineParts({ steps });
    const { steps: planned, args } = await plan(test, deploy([{ ...burn, priority: 0 }]), 'deploy');
    expect(named(planned)).toEqual(['deploy.boot 100', 'deploy.write 80']);
    expect(args).toEqual({ disabledSteps: ['deploy.burn'] });
  });

  it.each([
    [{ ...apply }, /"priority" must be a whole number, 0 or more/],
    [{ ...apply, priority: -1 }, /"priority" must be a whole number, 0 or more/],
    [{ ...apply, priority: 1.5 }, /"priority" must be a whole number, 0 or more/],
  ])('need a priority: %j', async (entry, text) => {
    await using test = await startTestEngineParts({ steps });
    await expect(plan(test, deploy([entry]), 'deploy')).rejects.toThrow(text);
  });

  it('must be unique, except reserved ones', async () => {
    await using test = await startTestEngineParts({ steps });
    const twice = [
      { ...apply, priority: 1 },
      { ...apply, priority: 2 },
    ];
    await expect(plan(test, deploy(twice), 'deploy')).rejects.toThrow(
      'deploy_steps: the step bios.apply is there twice.',
    );
    const holds = [
      { step: 'hold', priority: 95 },
      { step: 'hold', priority: 85 },
    ];
    expect(named((await plan(test, deploy(holds), 'deploy')).steps)).toEqual([
      'deploy.boot 100',
      'deploy.hold 95',
      'deploy.hold 85',
      'deploy.write 80',
    ]);
  });
});
