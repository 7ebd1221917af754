import type { FastifyRequest } from 'fastify';
import { describe, expect, it } from 'vitest';
import type { Node } from '../../domain/node.ts';
import type { Caller } from '../../domain/policy.ts';
import type { NodeStore } from '../../domain/store/nodes.ts';
import { checkChassis, findNode, ownerNode } from './node-lookup.ts';

const UUID = '6a8b3c1e-0000-4000-8000-00000000000a';
const NODES = [
  { uuid: UUID, name: 'n1', owner: 'red', lessee: null },
  { uuid: UUID.replace('a8b', 'b8b'), name: 'n2.json', owner: 'red', lessee: null },
] as unknown as readonly Node[];
const nodes = {
  find: async (ident: string) => NODES.find(({ uuid, name }) => uuid === ident || name === ident),
} as unknown as NodeStore;
const admin: Caller = { user: 'a', scope: { kind: 'system' }, role: 'admin', service: false };
const of = (project: string): Caller => ({
  ...admin,
  scope: { kind: 'project', id: project },
  role: 'member',
});
const find = async (ident: string, minor = 90, caller = admin) =>
  (await findNode(nodes, { minor, caller } as FastifyRequest, ident)).name;

describe('the node that a path names', () => {
  it.each([
    [UUID, 1, 'n1'],
    [UUID.toUpperCase(), 1, 'n1'],
    ['n1', 5, 'n1'],
    ['n1.json', 90, 'n1'],
    ['n2.json', 90, 'n2.json'],
    ['n2.json', 91, 'n2.json'],
  ])('%s at 1.%i is %s', async (ident, minor, name) => {
    expect(await find(ident, minor)).toBe(name);
  });

  it.each([
    ['n1', 4, 'Node n1 could not be found.'],
    ['n1.json', 91, 'Node n1.json could not be found.'],
    ['n3', 90, 'Node n3 could not be found.'],
    ['a b', 90, 'Expected a logical name or UUID but received a b.'],
  ])('%s at 1.%i: %s', async (ident, minor, text) => {
    await expect(find(ident, minor)).rejects.toThrow(text);
  });

  it('is 404 for callers who may not see it', async () => {
    expect(await find('n1', 90, of('red'))).toBe('n1');
    for (const ident of ['n1', UUID])
      await expect(find(ident, 90, of('blue'))).rejects.toThrow(`Node ${ident} could not be found.`);
  });
});

it('a body that names an unknown node or chassis is 400', async () => {
  const refusal = (what: string) =>
    expect.objectContaining({ code: 'invalidParameter', message: `${what} could not be found.` });
  expect(await ownerNode(nodes, 'n1')).toBe(UUID);
  await expect(ownerNode(nodes, 'n3')).rejects.toThrow(refusal('Node n3'));
  const chassis = { find: async (uuid: string) => (uuid === 'c1' ? {} : undefined) } as never;
  for (const uuid of ['c1', null, undefined]) await checkChassis(chassis, uuid);
  await expect(checkChassis(chassis, 'c2')).rejects.toThrow(refusal('Chassis c2'));
});
