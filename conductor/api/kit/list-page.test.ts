import { describe, expect, it } from 'vitest';
import { pageOfList, type WantedPage } from './list-page.ts';

describe('a page of a list', () => {
  it.each<[WantedPage, string, boolean, boolean]>([
    [{ limit: null }, 'abcd', false, false],
    [{ limit: 2 }, 'ab', true, false],
    [{ after: 1, limit: 2 }, 'cd', false, true],
    [{ after: 3, limit: 2 }, '', false, true],
    [{ after: 0, limit: 0 }, '', true, true],
    [{ before: 2, limit: 1 }, 'b', true, true],
    [{ before: 2, limit: 9 }, 'ab', true, false],
    [{ before: 2, limit: null }, 'ab', true, false],
  ])('%j is %s', (wanted, items, hasNext, hasPrevious) => {
    const page = pageOfList(['a', 'b', 'c', 'd'], wanted);
    expect([page.items.join(''), page.hasNext, page.hasPrevious]).toEqual([items, hasNext, hasPrevious]);
  });
});
