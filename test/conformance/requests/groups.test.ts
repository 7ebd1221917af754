import { describe, expect, it } from 'vitest';
import { GROUPS } from './groups.ts';

describe('groups of requests', () => {
  it.each(GROUPS)('$name names every request once', ({ requests }) => {
    const titles = requests.map(({ title }) => title);
    expect(titles.filter((title, at) => titles.indexOf(title) !== at)).toEqual([]);
  });

  it('are named once', () => {
    expect(new Set(GROUPS.map(({ name }) => name)).size).toBe(GROUPS.length);
  });
});
