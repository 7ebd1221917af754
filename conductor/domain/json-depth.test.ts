import { expect, it } from 'vitest';
import { depthExceeds } from './json-depth.ts';

const nested = (depth: number): unknown => (depth === 0 ? 'leaf' : { inner: [nested(depth - 1)] });

it('counts objects and lists', () => {
  expect(depthExceeds(nested(3), 6)).toBe(false);
  expect(depthExceeds(nested(3), 5)).toBe(true);
  expect(depthExceeds('text', 0)).toBe(false);
});
