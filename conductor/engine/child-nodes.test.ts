import { afterEach, beforeEach, expect, it } from 'vitest';
import { startTestEngineParts, type TestEngineParts } from '../../test/fakes/test-engine-parts.ts';
import { checkParent, childrenOf } from './child-nodes.ts';

let test: TestEngineParts;
beforeEach(async () => {
  test = await startTestEngineParts();
  await test.add();
  await test.add({ parentNode: 'n1' });
  await test.add();
});
afterEach(() => test[Symbol.asyncDispose]());

it('childrenOf finds the nodes with this parent', async () => {
  expect((await childrenOf(test.store.nodes, 'n1')).map(({ uuid }) => uuid)).toEqual(['n2']);
  expect(await childrenOf(test.store.nodes, 'n2')).toEqual([]);
});

it.each([
  ['n3', 'n3', 'a node is not its own parent'],
  ['n3', 'n9', 'there is no such node'],
  ['n3', 'n2', 'that one is itself a child, of n1'],
  ['n1', 'n3', 'node n1 has children itself, such as n2'],
])('%s can not have the parent %s: %s', async (uuid, parent, why) => {
  await expect(checkParent(test.store.nodes, uuid, parent)).rejects.toThrow(
    `parent_node of node ${uuid} can not be ${parent}: ${why}.`,
  );
});

it.each([undefined, null, 'n1'])('n3 may have the parent %s', async (parent) => {
  await expect(checkParent(test.store.nodes, 'n3', parent)).resolves.toBeUndefined();
});
