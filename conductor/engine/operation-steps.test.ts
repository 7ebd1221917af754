import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sampleNode, sampleStep } from '../../test/fakes/engine-samples.ts';
import { startTestEngineParts, type TestEngineParts } from '../../test/fakes/test-engine-parts.ts';
import type { Hardware, StepImplementation } from '../domain/drivers.ts';
import type { JsonObject } from '../domain/json.ts';
import type { OperationKind } from '../domain/operations.ts';
import type { Step } from '../domain/steps.ts';
import { framedSteps, operationSteps, parseSteps, refuseAgentSteps } from './operation-steps.ts';

const clean = (
  step: string,
  priority: number,
  more: Partial<StepImplementation> = {},
): StepImplementation => ({
  operation: 'clean',
  step,
  priority,
  abortable: false,
  onRestart: 'resume',
  advance: async () => ({ kind: 'done' }),
  ...more,
});
const argsInfo = {
  passes: { description: 'How often.', required: true },
  pattern: { description: 'What is written.', required: false },
};

let test: TestEngineParts;
let hardware: Hardware;
beforeAll(async () => {
  test = await startTestEngineParts({
    steps: {
      deploy: [
        clean('boot', 1_000),
        clean('erase', 10, { abortable: true }),
        clean('close', -1),
        clean('write', 80, { operation: 'deploy' }),
      ],
      raid: [clean('wipe', 0, { argsInfo })],
    },
  });
  hardware = test.parts.hardware.of(sampleNode());
});
afterAll(() => test[Symbol.asyncDispose]());

const named = (steps: readonly Step[]) =>
  steps.map((step) => `${step.interface}.${step.step} ${step.priority}`);

describe('the first steps of an operation', () => {
  const stepsOf = (kind: OperationKind, own: boolean | null, automatedClean: boolean, chosen?: Step[]) =>
    named(operationSteps(hardware, sampleNode({ automatedClean: own }), kind, { automatedClean }, chosen));

  it('are the automatic ones with those of the operator, in order', () => {
    const chosen = [sampleStep({ step: 'burn', priority: 20 }), sampleStep({ step: 'erase', priority: 0 })];
    expect(stepsOf('clean', null, true)).toEqual(['deploy.boot 1000', 'deploy.erase 10', 'deploy.close -1']);
    expect(stepsOf('clean', null, true, chosen)).toEqual([
      'deploy.boot 1000',
      'deploy.burn 20',
      'deploy.close -1',
    ]);
    expect(stepsOf('deploy', null, true)).toEqual(['deploy.write 80']);
  });

  it('are empty when cleaning is turned off, for all nodes or for this one', () => {
    expect(stepsOf('clean', null, false)).toEqual([]);
    expect(stepsOf('clean', false, true)).toEqual([]);
    expect(stepsOf('clean', true, false)).toHaveLength(3);
    expect(stepsOf('deploy', false, false)).toEqual(['deploy.write 80']);
  });
});

describe('steps in the order of the operator', () => {
  const chosen = [sampleStep({ step: 'burn', priority: 1 }), sampleStep({ step: 'erase', priority: 1 })];

  it('run between those that open and close the operation', () => {
    expect(named(framedSteps(hardware, 'clean', chosen, { disableRamdisk: false }))).toEqual([
      'deploy.boot 1000',
      'deploy.burn 1',
      'deploy.erase 1',
      'deploy.close -1',
    ]);
  });

  it('run alone without the ramdisk', () => {
    expect(framedSteps(hardware, 'clean', chosen, { disableRamdisk: true })).toEqual(chosen);
  });
});

it('steps of the agent are rejected without an agent', () => {
  const own = sampleStep({ step: 'erase' });
  const foreign = [
    sampleStep({ step: 'burn', where: 'agent' }),
    sampleStep({ interface: 'raid', step: 'create', where: 'agent' }),
  ];
  expect(() => refuseAgentSteps(hardware, 'clean', [own], 'no agent runs')).not.toThrow();
  expect(() => refuseAgentSteps(hardware, 'clean', [own, ...foreign], 'no agent runs')).toThrow(
    expect.objectContaining({
      code: 'invalidParameter',
      message: expect.stringMatching(
        /^No interface of this node has the clean step deploy\.burn, raid\.create, and no agent runs\. There are: (.*, )?deploy\.boot, deploy\.erase, deploy\.close, .*\.$/,
      ),
    }),
  );
});

describe('steps of a request', () => {
  const parse = (entry: JsonObject, order: 'by priority' | 'as given' = 'as given') =>
    parseSteps('clean_steps', [entry], hardware, { kind: 'clean', order })[0];
  const erase = { interface: 'deploy', step: 'erase' };
  const wipe = { interface: 'raid', step: 'wipe' };
  const onChildren = { ...erase, execute_on_child_nodes: true };

  it.each<[string, JsonObject, Partial<Step>]>([
    ['one of a driver', erase, { where: 'conductor', abortable: true, args: {} }],
    ['one that may not be aborted', { ...erase, step: 'boot' }, { where: 'conductor', abortable: false }],
    ['any other is of the agent', { ...erase, step: 'burn' }, { where: 'agent', abortable: false }],
    ['as is one of another operation', { ...erase, step: 'write' }, { where: 'agent' }],
    [
      'the name of one of the conductor is enough',
      { step: 'hold' },
      { interface: 'deploy', where: 'conductor' },
    ],
    ['with arguments', { ...wipe, args: { passes: 1 } }, { args: { passes: 1 } }],
    ['any arguments if the step names none', { ...erase, args: { a: 1 } }, { args: { a: 1 } }],
    ['as given, whatever the priority', { ...erase, priority: 7 }, { priority: 1 }],
    ['on all children', onChildren, { onChildren: true, where: 'conductor', abortable: true }],
    [
      'on some children',
      { ...onChildren, limit_child_node_execution: ['c1', 2] },
      { onChildren: ['c1', '2'] },
    ],
    ['on all if none is named', { ...onChildren, limit_child_node_execution: [] }, { onChildren: true }],
    ['on all if it is no list', { ...onChildren, limit_child_node_execution: 'c1' }, { onChildren: true }],
    ['on children without a look at this driver', { ...onChildren, ...wipe }, { onChildren: true }],
  ])('%s', (_, entry, expected) => {
    expect(parse(entry)).toMatchObject(expected);
  });

  it('run on the node itself unless execute_on_child_nodes is true', () => {
    expect(parse({ ...erase, execute_on_child_nodes: 'yes' })).not.toHaveProperty('onChildren');
    expect(parse({ ...erase, limit_child_node_execution: ['c1'] })).not.toHaveProperty('onChildren');
  });

  it.each<[JsonObject, string]>([
    [{ interface: 'deploy' }, '"step" must name a step'],
    [{ ...erase, step: '' }, '"step" must name a step'],
    [{ ...erase, step: 1 }, '"step" must name a step'],
    [{ step: 'erase' }, '"interface" must be one of '],
    [{ ...erase, interface: 'colour' }, '"interface" must be one of '],
    [{ ...erase, interface: 1 }, '"interface" must be one of '],
    [{ ...erase, args: [] }, '"args" must be an object'],
    [{ ...erase, args: null }, '"args" must be an object'],
    [{ ...onChildren, args: [] }, '"args" must be an object'],
    [
      { ...wipe, args: { passes: 1, toString: 1 } },
      'the step takes no argument "toString", only passes, pattern',
    ],
    [{ ...wipe, args: { pattern: 'a' } }, 'the step needs the argument "passes": How often.'],
    [wipe, 'the step needs the argument "passes": How often.'],
  ])('are refused when they are %j', (entry, text) => {
    expect(() => parse(entry)).toThrow(
      expect.objectContaining({
        code: 'invalidParameter',
        message: expect.stringContaining(`clean_steps[0]: ${text}`),
      }),
    );
  });

  it('are rejected with the index in the list', () => {
    const list = { kind: 'clean', order: 'as given' } as const;
    expect(() => parseSteps('steps', [erase, {}], hardware, list)).toThrow('steps[1]: "step" must name');
  });

  it.each([undefined, null, -1, 1.5, '1'])(
    'need a priority where it decides the order, not %j',
    (priority) => {
      const entry = priority === undefined ? erase : { ...erase, priority };
      expect(() => parse(entry, 'by priority')).toThrow('"priority" must be a whole number, 0 or more');
    },
  );

  it('of priority 0 are removed, so their arguments are not checked', () => {
    expect(parse({ ...erase, priority: 7 }, 'by priority')).toMatchObject({ priority: 7 });
    expect(parse({ ...wipe, priority: 0 }, 'by priority')).toMatchObject({ priority: 0 });
    expect(() => parse({ ...wipe, priority: 1 }, 'by priority')).toThrow('needs the argument');
  });
});
