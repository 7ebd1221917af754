import { expect, it } from 'vitest';
import { createEntryHolds } from './entry-holds.ts';

it('holds an entry until its last user has released it', () => {
  const holds = createEntryHolds();
  expect(holds.isHeld('a')).toBe(false);
  const [first, second] = [holds.hold('a'), holds.hold('a')];
  expect([holds.isHeld('a'), holds.isHeld('b')]).toEqual([true, false]);
  first();
  expect(holds.isHeld('a')).toBe(true);
  second();
  expect(holds.isHeld('a')).toBe(false);
});

it('ignores a second release of one user', () => {
  const holds = createEntryHolds();
  const [first, second] = [holds.hold('a'), holds.hold('a')];
  first();
  first();
  expect(holds.isHeld('a')).toBe(true);
  second();
  expect(holds.isHeld('a')).toBe(false);
});
