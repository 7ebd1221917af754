/** Patches that nest a field deeper and deeper, each of them flat. */
import { expect, it } from 'vitest';
import { startAttackedConductor } from './attacked-conductor.ts';

const LEVELS_PER_PATCH = 20;
const PATCHES = 150;

it('a field gets no deeper by patches than by one request', async () => {
  await using conductor = await startAttackedConductor();
  const { node } = await conductor.fakeNode();
  const level = '/a';
  const nested = (depth: number): object => (depth === 0 ? {} : { a: nested(depth - 1) });
  const operations = Array.from({ length: PATCHES }, (_, nth) => ({
    op: 'add',
    path: `/extra${level.repeat(1 + nth * LEVELS_PER_PATCH)}`,
    value: nested(LEVELS_PER_PATCH - 1),
  }));
  const deep = await conductor.api('PATCH', `/v1/nodes/${node}`, { body: operations });
  expect([deep.status, deep.error]).toEqual([400, expect.stringContaining('levels')]);
  const second = await conductor.api('PATCH', `/v1/nodes/${node}`, { body: operations.slice(0, 2) });
  expect([second.status, second.error]).toEqual([
    400,
    expect.stringContaining('nested deeper than 25 levels'),
  ]);
  expect((await conductor.api('PATCH', `/v1/nodes/${node}`, { body: operations.slice(0, 1) })).status).toBe(
    200,
  );
  expect((await conductor.api('GET', '/v1/nodes?fields=extra')).status).toBe(200);
}, 60_000);
