import type { FastifyRequest } from 'fastify';
import { describe, expect, it } from 'vitest';
import type { Node } from '../../../domain/node.ts';
import type { Caller } from '../../../domain/policy.ts';
import type { Recorded } from '../../../domain/resources.ts';
import type { NodeStore } from '../../../domain/store/nodes.ts';
import { listedProject, ownerFor, sees, seesNode } from './visibility.ts';

const system: Caller = { user: 'a', scope: { kind: 'system' }, role: 'admin', service: false };
const of = (id: string): Caller => ({ ...system, scope: { kind: 'project', id }, role: 'reader' });
const by = (caller: Caller | null) => ({ caller }) as FastifyRequest;
const NODE = { uuid: 'n1', owner: 'red', lessee: 'green' } as Node;
const nodes = { find: async (uuid: string) => (uuid === 'n1' ? NODE : undefined) } as unknown as NodeStore;

describe('a node', () => {
  it.each<[string, Caller | null, boolean]>([
    ['the ramdisk', null, true],
    ['the system', system, true],
    ['its owner', of('red'), true],
    ['its lessee', of('green'), true],
    ['another project', of('blue'), false],
  ])('for %s', (_, caller, isSeen) => expect(seesNode(by(caller), NODE)).toBe(isSeen));
});

describe('a record', () => {
  it.each<[object, boolean, boolean]>([
    [{ nodeUuid: 'n1' }, true, false],
    [{ nodeUuid: null }, false, false],
    [{ nodeUuid: 'gone' }, false, false],
    [{ owner: 'red' }, true, false],
    [{ owner: 'blue', nodeUuid: 'n1' }, false, true],
    [{ owner: 'blue', public: true }, true, true],
    [{}, true, true],
  ])('%j is seen by red: %s, by blue: %s', async (record, red, blue) => {
    const isSeen = (caller: Caller | null) => sees(by(caller), nodes, record as Recorded);
    expect(await Promise.all([isSeen(of('red')), isSeen(of('blue'))])).toEqual([red, blue]);
    expect(await Promise.all([isSeen(null), isSeen(system)])).toEqual([true, true]);
  });
});

it('lists are narrowed to the project of the caller', () => {
  expect([listedProject(by(null)), listedProject(by(system)), listedProject(by(of('red')))]).toEqual([
    undefined,
    undefined,
    'red',
  ]);
  expect([listedProject(by(system), 'blue'), listedProject(by(of('red')), 'red')]).toEqual(['blue', 'red']);
  expect(() => listedProject(by(of('red')), 'blue')).toThrow(expect.objectContaining({ code: 'forbidden' }));
});

it('what a project makes is its own', () => {
  expect([ownerFor(by(of('red')), undefined), ownerFor(by(of('red')), 'red')]).toEqual(['red', 'red']);
  expect([ownerFor(by(system), undefined), ownerFor(by(system), 'blue')]).toEqual([null, 'blue']);
  expect(() => ownerFor(by(of('red')), 'blue')).toThrow('leave "owner" out');
});
