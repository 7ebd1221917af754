import { describe, expect, it } from 'vitest';
import { inOrder, type Sortable } from './sorting.ts';

const rows = [
  { id: 1, name: 'b', at: new Date(2) },
  { id: 2, name: null, at: new Date(1) },
  { id: 3, name: 'b', at: new Date(0) },
  { id: 4, name: 'a', at: new Date(3) },
];
type Row = (typeof rows)[number];
const by = (key: keyof Row, direction: 'asc' | 'desc' = 'asc') => ({
  of: (row: Row): Sortable => row[key],
  direction,
});
const ids = (...keys: Parameters<typeof inOrder<Row>>[1]) => inOrder(rows, keys).map(({ id }) => id);

describe('lists in order', () => {
  it('have null first, and ties as they were', () => {
    expect(ids(by('name'))).toEqual([2, 4, 1, 3]);
    expect(ids(by('name', 'desc'))).toEqual([1, 3, 4, 2]);
    expect(ids()).toEqual([1, 2, 3, 4]);
  });

  it('are sorted by further keys where the first are equal', () => {
    expect(ids(by('name'), by('at'))).toEqual([2, 4, 3, 1]);
    expect(ids(by('name', 'desc'), by('id', 'desc'))).toEqual([3, 1, 4, 2]);
  });
});
