import { expect, it } from 'vitest';
import { nextPageUrl } from './next-page.ts';

it('a full page links to the next one, with the arguments of the request', () => {
  const query = { owner: 'me', tag: ['a', 'b'], marker: 'x' };
  const page = { limit: 2, count: 2, last: 'y z' };
  expect(nextPageUrl('http://h/racks', query, page)).toBe('http://h/racks?owner=me&tag=a&tag=b&marker=y+z');
  expect(nextPageUrl('http://h/racks', { limit: '9' }, page, { limit: '2' })).toBe(
    'http://h/racks?limit=2&marker=y+z',
  );
});

it('a page that is not full, or that has nothing, is the last', () => {
  expect(nextPageUrl('http://h/racks', {}, { limit: 2, count: 1, last: 'a' })).toBeUndefined();
  expect(nextPageUrl('http://h/racks', {}, { limit: 0, count: 0, last: undefined })).toBeUndefined();
});
