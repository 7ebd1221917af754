import { describe, expect, it } from 'vitest';
import { changedQuery, valuesOf } from './query-values.ts';

describe('a query with repeated names', () => {
  const query = { name: ['a', 'b'], limit: '2', marker: 'x' };
  it('has all values of a name', () => {
    expect(valuesOf(query, 'name')).toEqual(['a', 'b']);
    expect([valuesOf(query, 'limit'), valuesOf(query, 'other')]).toEqual([['2'], []]);
  });

  it('is passed on with changes', () => {
    expect(changedQuery(query, { marker: 'y z' })).toBe('name=a&name=b&limit=2&marker=y+z');
    expect(changedQuery(query, { marker: null, page_reverse: 'True' })).toBe(
      'name=a&name=b&limit=2&page_reverse=True',
    );
  });
});
