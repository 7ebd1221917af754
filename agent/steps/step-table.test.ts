import { expect, it } from 'vitest';
import { findStep, stepsOf } from './step-table.ts';

it('lists steps without the internal fields of the table', () => {
  expect(stepsOf('clean')).toEqual([
    {
      step: 'erase_devices_metadata',
      priority: 99,
      interface: 'deploy',
      rebootRequested: false,
      abortable: true,
    },
    { step: 'erase_devices', priority: 10, interface: 'deploy', rebootRequested: false, abortable: true },
    { step: 'erase_pstore', priority: 5, interface: 'deploy', rebootRequested: false, abortable: true },
  ]);
  expect(stepsOf('deploy').map(({ step, priority }) => [step, priority])).toEqual([['write_image', 0]]);
  expect(stepsOf('service')).toEqual([]);
});

it('finds a step only for its own extension', () => {
  expect(findStep('deploy', 'write_image')?.abortable).toBe(false);
  expect(findStep('clean', 'write_image')).toBeUndefined();
  expect(findStep('clean', 'burnin_cpu')).toBeUndefined();
});
