import { describe, expect, it } from 'vitest';
import { INTERFACE_TYPES, type Node, type NodePatch, type Port } from './node.ts';
import {
  checkDeletable,
  checkGroupNetwork,
  checkPatchable,
  checkPortPatch,
  settlePatch,
} from './node-rules.ts';
import { type ProvisionState, STATE_SETS, STATES, targetOf } from './states.ts';

const interfaces = Object.fromEntries(INTERFACE_TYPES.map((type) => [type, 'fake'])) as Node['interfaces'];

/** The fields that the rules read. */
const node = (fields: Partial<Node>): Node =>
  ({
    uuid: 'u',
    driver: 'ipmi',
    interfaces,
    instanceUuid: null,
    maintenance: false,
    protected: false,
    retired: false,
    consoleEnabled: false,
    resourceClass: null,
    provisionState: 'manageable',
    targetProvisionState: null,
    ...fields,
  }) as Node;

const inState = (provisionState: ProvisionState, fields: Partial<Node> = {}): Node =>
  node({ provisionState, targetProvisionState: targetOf(provisionState), ...fields });

const RULES = { onlyReleasesInstance: false, refusesInspecting: true };
const code = (work: () => void): string | undefined => {
  try {
    work();
    return undefined;
  } catch (error) {
    return (error as { code: string }).code;
  }
};
const states = Object.keys(STATES) as ProvisionState[];

describe('checkPatchable', () => {
  it('rejects patches only in transitional states and in inspecting', () => {
    const refused = states.filter(
      (state) => code(() => checkPatchable(inState(state), RULES)) === 'conflict',
    );
    const expected = states.filter(
      (state) =>
        state === 'inspecting' ||
        (targetOf(state) !== null &&
          !(STATE_SETS.patchableInTransition as readonly string[]).includes(state)),
    );
    expect(refused).toEqual(expected);
    expect(refused).toContain('wait call-back');
  });

  it('lets old clients patch while inspecting', () => {
    const rules = { ...RULES, refusesInspecting: false };
    expect(code(() => checkPatchable(inState('inspecting'), rules))).toBeUndefined();
  });

  it('allows removing the instance from a node in maintenance in any state', () => {
    const rules = { ...RULES, onlyReleasesInstance: true };
    expect(code(() => checkPatchable(inState('deploying', { maintenance: true }), rules))).toBeUndefined();
    expect(code(() => checkPatchable(inState('deploying'), rules))).toBe('conflict');
  });
});

describe('settlePatch', () => {
  it('keeps only changed fields', () => {
    expect(settlePatch(node({ name: 'a' }), { name: 'a', description: 'd' })).toEqual({ description: 'd' });
  });

  it.each<[string, Partial<Node>, NodePatch, NodePatch]>([
    [
      'leaving maintenance clears reason and fault',
      { maintenance: true },
      { maintenance: false },
      { maintenance: false, maintenanceReason: null, fault: null },
    ],
    [
      'unprotecting clears the reason',
      { protected: true },
      { protected: false },
      { protected: false, protectedReason: null },
    ],
    [
      'unretiring clears the reason',
      { retired: true },
      { retired: false },
      { retired: false, retiredReason: null },
    ],
  ])('%s', (_, before, patch, after) => {
    expect(settlePatch(node(before), patch)).toEqual(after);
  });

  const otherDeploy: NodePatch = { interfaces: { ...interfaces, deploy: 'direct' } };
  it.each<[string, Node, NodePatch, string | undefined]>([
    ['a second instance', node({ instanceUuid: 'i1' }), { instanceUuid: 'i2' }, 'conflict'],
    ['removal of the instance', node({ instanceUuid: 'i1' }), { instanceUuid: null }, undefined],
    ['an interface of an active node', inState('active'), otherDeploy, 'conflict'],
    ['the same in maintenance', inState('active', { maintenance: true }), otherDeploy, undefined],
    ['the same in enroll', inState('enroll'), otherDeploy, undefined],
    [
      'resource_class of an active node',
      inState('active', { resourceClass: 'a' }),
      { resourceClass: 'b' },
      'conflict',
    ],
    [
      'the same in maintenance',
      inState('active', { resourceClass: 'a', maintenance: true }),
      { resourceClass: 'b' },
      'conflict',
    ],
    ['a first resource_class of an active node', inState('active'), { resourceClass: 'b' }, undefined],
    ['protected in active', inState('active'), { protected: true }, undefined],
    ['protected in available', inState('available'), { protected: true }, 'conflict'],
    ['retired in available', inState('available'), { retired: true }, 'conflict'],
    ['retired in manageable', inState('manageable'), { retired: true }, undefined],
    ['a driver while the console is on', node({ consoleEnabled: true }), { driver: 'other' }, 'conflict'],
  ])('%s', (_, before, patch, expected) => {
    expect(code(() => settlePatch(before, patch))).toBe(expected);
  });
});

describe('checkDeletable', () => {
  it('allows the listed states, and all in maintenance', () => {
    const allowed = states.filter((state) => code(() => checkDeletable(inState(state))) === undefined);
    expect(allowed.toSorted()).toEqual([...STATE_SETS.deletable].toSorted());
    const forced = states.filter(
      (state) => code(() => checkDeletable(inState(state, { maintenance: true }))) !== undefined,
    );
    expect(forced).toEqual([]);
  });

  it('rejects protected nodes with 403 and nodes with an instance with 409', () => {
    expect(code(() => checkDeletable(inState('enroll', { protected: true, maintenance: true })))).toBe(
      'forbidden',
    );
    expect(code(() => checkDeletable(inState('enroll', { instanceUuid: 'i' })))).toBe('conflict');
  });
});

describe('checkPortPatch', () => {
  const port = { uuid: 'p', address: '52:54:00:00:00:01', pxeEnabled: true, extra: {} } as unknown as Port;
  const otherMac = { address: '52:54:00:00:00:02' } as { address: Port['address'] };

  it.each<[string, Node, Parameters<typeof checkPortPatch>[2], string | undefined]>([
    ['the MAC of an active node', inState('active'), otherMac, 'conflict'],
    ['the same in maintenance', inState('active', { maintenance: true }), otherMac, undefined],
    ['the unchanged MAC', inState('active'), { address: port.address }, undefined],
    ['pxe_enabled in available', inState('available'), { pxeEnabled: false }, 'conflict'],
    ['pxe_enabled in manageable', inState('manageable'), { pxeEnabled: false }, undefined],
    ['extra in any state', inState('deploying'), { extra: { a: 1 } }, undefined],
  ])('%s', (_, holder, patch, expected) => {
    expect(code(() => checkPortPatch(holder, port, patch))).toBe(expected);
  });
});

describe('checkGroupNetwork', () => {
  const member = (uuid: string, physicalNetwork: string | null) => ({ uuid, physicalNetwork }) as Port;

  it.each<[string, Parameters<typeof checkGroupNetwork>[0], Port[], string | undefined]>([
    ['the first port of a group', { uuid: 'p', physicalNetwork: 'red' }, [], undefined],
    ['a port on the same network', { uuid: 'p', physicalNetwork: 'red' }, [member('a', 'red')], undefined],
    ['a port on another network', { uuid: 'p', physicalNetwork: 'blue' }, [member('a', 'red')], 'conflict'],
    ['a port without a network', { uuid: 'p' }, [member('a', 'red')], 'conflict'],
    [
      'a port beside one without a network',
      { uuid: 'p', physicalNetwork: 'red' },
      [member('a', null)],
      'conflict',
    ],
    ['the only port of the group', { uuid: 'p', physicalNetwork: 'blue' }, [member('p', 'red')], undefined],
  ])('%s', (_, port, inGroup, expected) => {
    expect(code(() => checkGroupNetwork(port, inGroup))).toBe(expected);
  });
});
