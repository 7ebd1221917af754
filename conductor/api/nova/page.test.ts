import { expect, it } from 'vitest';
import { pageLimit, pageOf } from './page.ts';

const ITEMS = ['a', 'b', 'c', 'd'];
const page = (query: object, max = 9) => pageOf(ITEMS, query, max, (item) => item).join('');

it('a page follows its marker, and has no more than the limit and the largest page', () => {
  expect([page({}), page({}, 3), page({ limit: 2 }), page({ limit: 5 }, 3), page({ limit: 0 })]).toEqual([
    ...['abcd', 'abc', 'ab', 'abc', ''],
  ]);
  expect([page({ marker: 'b' }), page({ marker: 'b', limit: 1 }), page({ marker: 'd' })]).toEqual([
    'cd',
    'c',
    '',
  ]);
  expect([pageLimit({}, 5), pageLimit({ limit: 2 }, 5), pageLimit({ limit: 9 }, 5)]).toEqual([5, 2, 5]);
});

it('a marker that nothing has is refused, in short', () => {
  expect(() => page({ marker: 'x' })).toThrow('marker [x] not found');
  expect(() => page({ marker: 'x'.repeat(999) })).toThrow(/^marker \[x{255}\] not found$/);
});
