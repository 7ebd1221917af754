import { describe, expect, it } from 'vitest';
import { drawDelay, parseDelayRange } from './delay-range.ts';

describe('delay range', () => {
  it.each([
    ['0', { usualMs: 0, longestMs: 0 }],
    ['1.5', { usualMs: 1500, longestMs: 1500 }],
    [' 1, 4 ', { usualMs: 1000, longestMs: 4000 }],
  ])('reads %j', (text, range) => expect(parseDelayRange(text)).toEqual(range));

  it.each(['', 'x', '-1', '4,1', '1,2,3', '1e3', '601'])('refuses %j', (text) =>
    expect(parseDelayRange(text)).toBeUndefined(),
  );

  it('draws from the peak to the end', () => {
    const range = { usualMs: 1000, longestMs: 5000 };
    expect(drawDelay(range, () => 0)).toBe(1000);
    expect(drawDelay(range, () => 0.75)).toBe(3000);
    expect(drawDelay(range, () => 0.999999)).toBeCloseTo(4996, 0);
  });
});
