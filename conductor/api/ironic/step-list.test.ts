import { describe, expect, it } from 'vitest';
import { checkedSteps, type StepForm } from './step-list.ts';

const TEMPLATE: StepForm = { number: 'priority', optional: [] };
const RUNBOOK: StepForm = { number: 'order', optional: ['args'] };
const step = (more: object = {}) => ({ interface: 'deploy', step: 'write', args: {}, priority: 5, ...more });
const check = (steps: readonly unknown[], form = TEMPLATE) => checkedSteps('deploy template', steps, form);

describe('the steps of a template or runbook', () => {
  it('have a number as priority or order, and may omit the optional fields', () => {
    expect(check([step({ priority: '7' })])).toEqual([step({ priority: 7 })]);
    expect(check([{ interface: 'bios', step: 'reset', order: 1 }], RUNBOOK)).toEqual([
      { interface: 'bios', step: 'reset', args: {}, order: 1 },
    ]);
  });

  it.each<[readonly unknown[], string]>([
    [[], 'Schema error for deploy template: steps must not be empty.'],
    [[step(), 'x'], 'steps[1] must be an object'],
    [[{ step: 'write' }], 'steps[0] must have interface, step, args, priority and nothing else'],
    [[step({ order: 1 })], 'steps[0] must have interface, step, args, priority and nothing else'],
    [[step({ interface: 'boot' })], 'steps[0].interface must be one of bios, deploy, firmware'],
    [[step({ step: '' })], 'steps[0].step must be the name of a step'],
    [[step({ args: [] })], 'steps[0].args must be an object'],
    [[step({ priority: -1 })], 'steps[0].priority must be an integer, 0 or more'],
    [[step({ priority: '1.5' })], 'steps[0].priority must be an integer, 0 or more'],
    [[step(), step({ priority: 9 })], 'The deploy template has the step deploy.write twice: keep one.'],
  ])('%j are refused', (steps, text) => {
    expect(() => check(steps)).toThrow(text);
  });

  it('list the optional fields in the schema', () => {
    expect(() => check([{ step: 'x' }], RUNBOOK)).toThrow(
      'steps[0] must have interface, step, order, may have args, and nothing else',
    );
  });
});
