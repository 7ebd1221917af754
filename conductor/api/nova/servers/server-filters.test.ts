import { expect, it } from 'vitest';
import { parseFilters } from './server-filters.ts';

const parse = (given: Record<string, string>, asked = { isAdmin: true, minor: 96 }) =>
  parseFilters(new Map(Object.entries(given).map(([name, value]) => [name, [value]])), asked);

it('reports the first of two invalid arguments, and leaves no unhandled rejection', async () => {
  const unhandled: unknown[] = [];
  const note = (reason: unknown) => unhandled.push(reason);
  process.on('unhandledRejection', note);
  try {
    await expect(parse({ name: '[', 'changes-since': 'never' })).rejects.toThrow("'[' is not a 'regex'");
    await expect(parse({ 'changes-since': 'never', name: '[' })).rejects.toThrow(
      "'never' is not a 'date-time'",
    );
    await expect(parse({ name: '[', node: '\\' })).rejects.toThrow("'[' is not a 'regex'");
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(unhandled).toEqual([]);
  } finally {
    process.off('unhandledRejection', note);
  }
});

it('ignores filters for administrators, and those newer than the request', async () => {
  expect((await parse({ node: 'n1', tags: 'a' }, { isAdmin: false, minor: 96 })).tests).toHaveLength(2);
  expect((await parse({ node: 'n1', tags: 'a' }, { isAdmin: true, minor: 25 })).tests).toHaveLength(2);
  expect((await parse({ node: 'n1', tags: 'a' })).tests).toHaveLength(3);
});
