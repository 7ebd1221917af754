import { describe, expect, it } from 'vitest';
import { after, NOW, sampleNode, sampleStep } from '../../test/fakes/engine-samples.ts';
import type { StepContext } from '../domain/drivers.ts';
import { OPERATION_KINDS } from '../domain/operations/table.ts';
import { conductorStep, conductorSteps, isReservedStep } from './conductor-steps.ts';

/** Runs the step `lateMs` after it began; `deeds` are its calls of the context. */
async function advance(
  name: string,
  given: { args?: object; memo?: object; lateMs?: number; heartbeat?: Date; kind?: 'clean' | 'adopt' } = {},
) {
  const { args = {}, memo = {}, lateMs = 0, heartbeat, kind = 'clean' } = given;
  const deeds: unknown[] = [];
  let step = sampleStep({ step: name, args: args as never, memo: memo as never });
  const context = {
    node: sampleNode(),
    ports: [],
    get step() {
      return step;
    },
    now: () => after(lateMs),
    limits: { commandMs: 60_000, longCommandMs: 3_600_000 },
    hardware: {
      all: new Proxy(
        {},
        { get: (_, type) => ({ validate: () => void deeds.push(`validate ${String(type)}`) }) },
      ),
      power: { getPowerState: async () => 'power on' },
      boot: {
        prepareInstance: async (_: unknown, __: unknown, options: object) => {
          deeds.push(options);
          return { kind: 'done' };
        },
      },
    },
    heartbeatSince: (since: Date) => (heartbeat && heartbeat >= since ? heartbeat : undefined),
    remember: async (more: object) => {
      step = { ...step, memo: { ...step.memo, ...more } };
    },
    setPower: async (target: string) => void deeds.push(target),
    updateNode: async (patch: object) => void deeds.push(patch),
  } as unknown as StepContext;
  return { outcome: await conductorStep(kind, name)!.advance(context), deeds, memo: step.memo };
}

it('exist for operations whose steps an operator may name, and for adopting', () => {
  const named = ['hold', 'wait', 'power_on', 'power_off', 'reboot'];
  const offered = OPERATION_KINDS.map((kind) => [kind, conductorSteps(kind).map(({ step }) => step)]);
  expect(Object.fromEntries(offered)).toEqual({
    ...Object.fromEntries(OPERATION_KINDS.map((kind) => [kind, []])),
    ...{ clean: named, deploy: named, service: named, adopt: ['take_over'] },
  });
  expect([...named, 'take_over', 'toString'].map(isReservedStep)).toEqual([
    true,
    true,
    true,
    true,
    true,
    false,
    false,
  ]);
});

it.each([
  ['power_on', 'power on'],
  ['power_off', 'power off'],
  ['reboot', 'rebooting'],
])('%s', async (name, target) => {
  expect(await advance(name)).toMatchObject({ outcome: { kind: 'done' }, deeds: [target] });
});

it('hold waits until it is released', async () => {
  expect((await advance('hold')).outcome).toMatchObject({ kind: 'hold', waitingFor: { kind: 'operator' } });
  expect((await advance('hold', { memo: { released: true } })).outcome).toEqual({ kind: 'done' });
});

describe('wait', () => {
  it('for a time, counted from when it began', async () => {
    const args = { seconds: 30 };
    const { outcome, memo } = await advance('wait', { args });
    expect(memo).toEqual({ since: NOW.toISOString() });
    expect(outcome).toMatchObject({ kind: 'wait', waitingFor: { kind: 'time' }, wakeAt: after(30_000) });
    expect((await advance('wait', { args, memo, lateMs: 29_999 })).outcome.kind).toBe('wait');
    expect((await advance('wait', { args, memo, lateMs: 30_000 })).outcome.kind).toBe('done');
  });

  it('for the next heartbeat of the agent, not an earlier one', async () => {
    const { outcome, memo } = await advance('wait', { heartbeat: after(-1) });
    expect(outcome).toMatchObject({
      kind: 'wait',
      waitingFor: { kind: 'agent' },
      deadline: after(3_600_000),
    });
    expect((await advance('wait', { memo, lateMs: 9, heartbeat: after(5) })).outcome).toEqual({
      kind: 'done',
    });
  });

  it.each([-1, 86_401, '5'])('not for %s seconds', async (seconds) => {
    await expect(advance('wait', { args: { seconds } })).rejects.toThrow(
      '"seconds" must be a number from 0 to 86400',
    );
  });
});

it('adopting checks and reads, and changes nothing on the machine', async () => {
  const { outcome, deeds } = await advance('take_over', { kind: 'adopt' });
  expect(outcome).toEqual({ kind: 'done' });
  expect(deeds).toEqual([
    'validate power',
    'validate management',
    'validate network',
    'validate storage',
    { isRunning: true },
    { powerState: 'power on' },
  ]);
});
