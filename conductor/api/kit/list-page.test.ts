import { describe, expect, it } from 'vitest';
import { type Marker, pageOfList, type WantedPage } from './list-page.ts';

const LETTERS = ['a', 'b', 'c', 'd'];
const markerAt = (id: string, more: Partial<Marker<string>> = {}): Marker<string> => ({
  id,
  idOf: (letter) => letter,
  missing: () => new Error(`no ${id}`),
  ...more,
});
const descending = [{ of: (letter: string) => letter, direction: 'desc' }] as const;

describe('a page of a list', () => {
  it.each<[WantedPage<string>, string, boolean, boolean]>([
    [{ limit: null }, 'abcd', false, false],
    [{ limit: 2 }, 'ab', true, false],
    [{ limit: 9 }, 'abcd', false, false],
    [{ marker: markerAt('b'), limit: 2 }, 'cd', false, true],
    [{ marker: markerAt('d'), limit: 2 }, '', false, true],
    [{ marker: markerAt('a'), limit: 0 }, '', true, true],
    [{ isReverse: true, limit: 3 }, 'bcd', false, true],
    [{ isReverse: true, marker: markerAt('c'), limit: 1 }, 'b', true, true],
    [{ isReverse: true, marker: markerAt('c'), limit: 9 }, 'ab', true, false],
    [{ isReverse: true, marker: markerAt('c'), limit: null }, 'ab', true, false],
    [{ order: descending, limit: 2 }, 'dc', true, false],
    [{ order: descending, marker: markerAt('c'), limit: 1 }, 'b', true, true],
    [{ tests: [(one) => one > 'a', (one) => one < 'd'], limit: 1 }, 'b', true, false],
  ])('%j is %s', (wanted, items, hasNext, hasPrevious) => {
    const page = pageOfList(LETTERS, wanted);
    expect([page.items.join(''), page.hasNext, page.hasPrevious]).toEqual([items, hasNext, hasPrevious]);
  });

  it('has no marker that is not on it', () => {
    const tests = [(one: string) => one !== 'b'];
    expect(() => pageOfList(LETTERS, { marker: markerAt('x'), limit: 1 })).toThrow('no x');
    expect(() => pageOfList(LETTERS, { tests, marker: markerAt('b'), limit: 1 })).toThrow('no b');
  });

  it('goes on where a marker would stand, if the API takes others too', () => {
    const ascending = [{ of: (letter: string) => letter, direction: 'asc' }] as const;
    const without = { tests: [(one: string) => one !== 'b'], order: ascending, limit: 1 };
    const page = (isReverse: boolean, id = 'b') =>
      pageOfList(LETTERS, { ...without, isReverse, marker: markerAt(id, { among: LETTERS }) }).items;
    expect([page(false), page(true)]).toEqual([['c'], ['a']]);
    expect(() => page(false, 'x')).toThrow('no x');
  });
});
