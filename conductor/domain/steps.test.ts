import { describe, expect, it } from 'vitest';
import { fc } from '../../test/random-cases.ts';
import { mergeInBand, mergeSteps, type Step } from './steps.ts';

const step = (name: string, priority: number, more: Partial<Step> = {}): Step => ({
  interface: 'deploy',
  step: name,
  args: {},
  priority,
  where: 'conductor',
  abortable: false,
  ...more,
});
const names = (steps: readonly Step[]): string[] => steps.map((one) => one.step);

describe('mergeSteps', () => {
  it('orders by priority, leaves out 0 and puts negative ones last', () => {
    const automatic = [step('close', -1), step('off', 0), step('write', 80), step('boot', 100)];
    expect(names(mergeSteps(automatic, []))).toEqual(['boot', 'write', 'close']);
  });

  it('breaks ties by interface: power before management before deploy before raid', () => {
    const tied = (['raid', 'deploy', 'management', 'power'] as const).map((on) =>
      step(on, 50, { interface: on }),
    );
    expect(names(mergeSteps(tied, []))).toEqual(['power', 'management', 'deploy', 'raid']);
  });

  it('lets a chosen step replace, move or switch off the automatic one of its name', () => {
    const automatic = [step('boot', 100), step('write', 80)];
    expect(mergeSteps(automatic, [step('write', 70, { args: { a: 1 } })])[1]).toMatchObject({
      priority: 70,
      args: { a: 1 },
    });
    expect(names(mergeSteps(automatic, [step('write', 0)]))).toEqual(['boot']);
  });
});

describe('mergeInBand', () => {
  it('merges agent steps with the remaining steps and repeats none', () => {
    const agent = [
      step('erase_metadata', 99, { where: 'agent' }),
      step('erase', 10, { where: 'agent' }),
      step('never', 0),
    ];
    const merged = mergeInBand([step('prepare', 1000)], [step('close', -1), step('erase', 20)], agent);
    expect(names(merged)).toEqual(['erase_metadata', 'erase', 'close']);
    expect(merged[1]!.priority).toBe(20);
  });

  it('leaves out steps that the operator disabled before they were known', () => {
    const agent = [step('erase_metadata', 99), step('erase', 10)];
    expect(names(mergeInBand([], [], agent, ['deploy.erase']))).toEqual(['erase_metadata']);
  });

  it('keeps the order and loses no step', () => {
    const anyStep = fc.record({
      name: fc.constantFrom('a', 'b', 'c', 'd', 'e'),
      priority: fc.integer({ min: -2, max: 100 }),
    });
    const list = fc
      .uniqueArray(anyStep, { selector: (one) => one.name })
      .map((all) => all.map((s) => step(s.name, s.priority)));
    fc.assert(
      fc.property(list, list, (remaining, inBand) => {
        const merged = mergeInBand([], remaining, inBand);
        expect(names(merged)).toEqual(expect.arrayContaining(names(remaining)));
        expect(merged.every((one, i) => i === 0 || merged[i - 1]!.priority >= one.priority)).toBe(true);
        expect(new Set(names(merged)).size).toBe(merged.length);
      }),
    );
  });
});
