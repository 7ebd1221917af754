import { describe, expect, it } from 'vitest';
import { fc } from '../../../test/random-cases.ts';
import { advance, EMPTY_WINDOW, type SequenceWindow } from './sequence-window.ts';

/** Which of these sequence numbers are accepted, in this order. */
function taken(sequences: readonly number[]): number[] {
  let window: SequenceWindow = EMPTY_WINDOW;
  return sequences.filter((sequence) => {
    const next = advance(window, sequence);
    if (next !== undefined) window = next;
    return next !== undefined;
  });
}

describe('sequence window', () => {
  it.each([
    { name: 'counts up', sequences: [1, 2, 3], taken: [1, 2, 3] },
    { name: 'refuses repeats', sequences: [1, 1, 2, 1, 2], taken: [1, 2] },
    { name: 'accepts late numbers once', sequences: [1, 4, 3, 3, 2], taken: [1, 4, 3, 2] },
    { name: 'rejects numbers that are too old', sequences: [40, 24, 23, 41], taken: [40, 24, 41] },
    {
      name: 'accepts numbers far ahead',
      sequences: [1, 4_000_000_000, 4_000_000_001, 2],
      taken: [1, 4_000_000_000, 4_000_000_001],
    },
    { name: 'rejects 0, which is used outside a session', sequences: [0, 1], taken: [1] },
  ])('$name', ({ sequences, taken: expected }) => {
    expect(taken(sequences)).toEqual(expected);
  });

  it('never accepts a number twice', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 0, max: 60 })), (sequences) => {
        const once = taken(sequences);
        return new Set(once).size === once.length;
      }),
    );
  });
});
