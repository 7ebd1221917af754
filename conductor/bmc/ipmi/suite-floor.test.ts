import { expect, it } from 'vitest';
import { isStronger, offeredSuites } from './suite-floor.ts';

it.each([
  ['a BMC that is new', [17, 3], undefined, { suites: [17, 3] }],
  ['a BMC that has used the weaker one', [17, 3], 3, { suites: [17, 3] }],
  ['a BMC that has used the stronger one', [17, 3], 17, { suites: [17], floor: 17 }],
  ['an operator who chooses the weaker one', [3], 17, { suites: [3] }],
  ['a suite that is not known any more', [17, 3], 99, { suites: [17, 3] }],
] as const)('%s', (_, allowed, seen, offered) => expect(offeredSuites(allowed, seen)).toEqual(offered));

it('17 is stronger than 3', () => {
  expect([isStronger(17, 3), isStronger(17, undefined), isStronger(17, 17), isStronger(3, 17)]).toEqual([
    true,
    true,
    false,
    false,
  ]);
});
