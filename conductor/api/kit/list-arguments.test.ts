import { describe, expect, it } from 'vitest';
import { pageSize, readLimit, readSort, type SortRules } from './list-arguments.ts';

describe('the size of a page', () => {
  it.each([
    [undefined, 100],
    [5, 5],
    [500, 100],
    [0, 0],
  ])('for a limit of %j is %i', (asked, size) => expect(pageSize(asked, 100)).toBe(size));

  it('is read from the query', () => {
    const refused = (text: string) => new Error(`no limit: ${text}`);
    expect([readLimit(undefined, refused), readLimit('0', refused), readLimit('12', refused)]).toEqual([
      undefined,
      0,
      12,
    ]);
    for (const text of ['', '-1', '1.5', 'x', '1e3', '9'.repeat(16)])
      expect(() => readLimit(text, refused)).toThrow(`no limit: ${text}`);
  });
});

describe('keys and directions of a sort', () => {
  const RULES: SortRules = {
    isKey: (name) => ['a', 'b'].includes(name),
    direction: 'asc',
    refused: {
      keys: (names) => new Error(`keys ${names.join(', ')}`),
      direction: (word) => new Error(`direction ${word}`),
      count: () => new Error('count'),
    },
  };
  const shared: SortRules = { ...RULES, direction: 'desc', sharesDirection: true };
  const read = (names: string[], directions: string[], rules: SortRules) =>
    readSort(names, directions, rules)
      .map(({ name, direction }) => `${name} ${direction}`)
      .join(', ');

  it.each([
    [[], [], RULES, ''],
    [['a', 'b'], [], RULES, 'a asc, b asc'],
    [['a', 'b'], ['desc', 'asc'], RULES, 'a desc, b asc'],
    [['a', 'b'], [], shared, 'a desc, b desc'],
    [['a', 'b'], ['asc'], shared, 'a asc, b asc'],
    [[], ['asc'], shared, ''],
  ])('%j and %j come in pairs', (names, directions, rules, pairs) => {
    expect(read(names, directions, rules)).toBe(pairs);
  });

  it.each([
    [['a', 'x', 'y'], [], RULES, 'keys x, y'],
    [['a'], ['up'], RULES, 'direction up'],
    [['a', 'b'], ['asc'], RULES, 'count'],
    [['a', 'b'], ['asc', 'asc', 'asc'], shared, 'count'],
    [[], ['asc'], RULES, 'count'],
  ])('%j and %j are refused', (names, directions, rules, error) => {
    expect(() => read(names, directions, rules)).toThrow(error);
  });
});
