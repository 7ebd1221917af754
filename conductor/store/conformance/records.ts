/** The rules of record-store.ts, tested for each table of records. */
import { describe, expect, it } from 'vitest';
import type { Mac } from '../../domain/boot.ts';
import type { NodeFilter } from '../../domain/store/nodes.ts';
import { ALL, expectError, later, NOW, newNode, type Subject } from './samples.ts';

const uuid = () => crypto.randomUUID();

export function recordConformance(store: Subject): void {
  describe('chassis', () => {
    it('are created, changed, listed and deleted', async () => {
      const { id, ...chassis } = await store().chassis.create({ uuid: 'c1', description: 'rack' }, NOW);
      expect(id).toBeGreaterThan(0);
      expect(chassis).toEqual({
        uuid: 'c1',
        description: 'rack',
        extra: {},
        createdAt: NOW,
        updatedAt: null,
      });
      const changed = await store().chassis.update('c1', { extra: { row: 3 } }, later(5));
      expect(changed).toEqual({ id, ...chassis, extra: { row: 3 }, updatedAt: later(5) });
      expect(await store().chassis.list({}, ALL)).toEqual([changed]);
      await store().chassis.delete('c1');
      await expectError(store().chassis.delete('c1'), 'notFound', 'Chassis c1 could not be found.');
      await expectError(store().chassis.get('c1'), 'notFound', 'Chassis c1 could not be found.');
      await expectError(store().chassis.update('c1', {}, NOW), 'notFound', 'Chassis c1');
    });

    it('hold nodes, and stay while they do', async () => {
      await store().chassis.create({ uuid: 'c1' }, NOW);
      const node = await store().nodes.create(newNode({ chassisUuid: 'c1' }), NOW);
      await store().nodes.create(newNode(), NOW);
      const inside = await store().nodes.list({ chassisUuid: 'c1' }, ALL);
      expect(inside.map((one) => one.uuid)).toEqual([node.uuid]);
      await expectError(store().chassis.delete('c1'), 'conflict', 'Chassis c1 is in use');
      expect(await store().chassis.find('c1')).toBeDefined();
    });
  });

  describe('port groups', () => {
    it('are found by name, and their names and MACs exist once', async () => {
      const node = await store().nodes.create(newNode(), NOW);
      const group = await store().portgroups.create({ uuid: uuid(), nodeUuid: node.uuid, name: 'bond' }, NOW);
      expect(group).toMatchObject({ mode: 'active-backup', standalonePortsSupported: true, address: null });
      expect(await store().portgroups.find('bond')).toEqual(group);
      expect(await store().portgroups.get('bond')).toEqual(group);
      await expectError(
        store().portgroups.create({ uuid: uuid(), nodeUuid: node.uuid, name: 'bond' }, NOW),
        'conflict',
        'A portgroup with name bond already exists.',
      );
      await expectError(
        store().portgroups.create({ uuid: group.uuid, nodeUuid: node.uuid }, NOW),
        'conflict',
        `UUID ${group.uuid}`,
      );
      await expectError(
        store().portgroups.create({ uuid: uuid(), nodeUuid: 'gone' }, NOW),
        'notFound',
        'Node gone could not be found.',
      );
    });

    it('go with their node', async () => {
      const node = await store().nodes.create(newNode(), NOW);
      await store().portgroups.create({ uuid: 'g1', nodeUuid: node.uuid }, NOW);
      await store().nodes.delete(node.uuid);
      expect(await store().portgroups.find('g1')).toBeUndefined();
    });
  });

  describe('allocations', () => {
    it('are listed by their values, and outlive their node', async () => {
      const node = await store().nodes.create(newNode(), NOW);
      const one = { uuid: 'a1', state: 'active', resourceClass: 'gold', nodeUuid: node.uuid } as const;
      await store().allocations.create({ ...one, traits: ['CUSTOM_A'], candidateNodes: [node.uuid] }, NOW);
      await store().allocations.create({ uuid: 'a2', state: 'error', resourceClass: 'gold' }, NOW);
      const found = await store().allocations.list({ resourceClass: 'gold', state: 'active' }, ALL);
      expect(found).toMatchObject([{ uuid: 'a1', traits: ['CUSTOM_A'], candidateNodes: [node.uuid] }]);
      await store().nodes.delete(node.uuid);
      expect(await store().allocations.find('a1')).toMatchObject({ nodeUuid: null });
    });
  });

  describe('volumes', () => {
    it('have one target per node and boot index, and one connector per type and id', async () => {
      const { uuid: nodeUuid } = await store().nodes.create(newNode(), NOW);
      const target = { nodeUuid, volumeType: 'iscsi', volumeId: 'v', bootIndex: 0 };
      await store().volumeTargets.create({ uuid: 't1', ...target }, NOW);
      await expectError(
        store().volumeTargets.create({ uuid: 't2', ...target }, NOW),
        'conflict',
        `A volume target with node ${nodeUuid} and boot_index 0 already exists.`,
      );
      const connector = { nodeUuid, type: 'iqn', connectorId: 'iqn.2026-01.test:a' };
      await store().volumeConnectors.create({ uuid: 'k1', ...connector }, NOW);
      await expectError(
        store().volumeConnectors.create({ uuid: 'k2', ...connector }, NOW),
        'conflict',
        'A volume connector with type iqn and connector_id iqn.2026-01.test:a already exists.',
      );
    });
  });

  it('of a project are those on its nodes, and allocations of its own', async () => {
    const { uuid: nodeUuid } = await store().nodes.create(newNode({ owner: 'A', lessee: 'B' }), NOW);
    const { uuid: free } = await store().nodes.create(newNode(), NOW);
    await store().portgroups.create({ uuid: 'g1', nodeUuid }, NOW);
    await store().portgroups.create({ uuid: 'g2', nodeUuid: free }, NOW);
    await store().allocations.create({ uuid: 'a1', state: 'error', owner: 'A', nodeUuid: free }, NOW);
    await store().allocations.create({ uuid: 'a2', state: 'error', nodeUuid }, NOW);
    await store().chassis.create({ uuid: 'c1' }, NOW);
    const uuids = async (records: Promise<{ uuid: string }[]>) => (await records).map((one) => one.uuid);
    for (const project of ['A', 'B']) {
      expect(await uuids(store().portgroups.list({}, ALL, { project }))).toEqual(['g1']);
      expect(await uuids(store().portgroups.list({ nodeUuid: free }, ALL, { project }))).toEqual([]);
    }
    expect(await uuids(store().portgroups.list({}, ALL))).toEqual(['g1', 'g2']);
    expect(await uuids(store().portgroups.list({}, ALL, { project: 'C' }))).toEqual([]);
    expect(await uuids(store().portgroups.list({}, ALL, { project: '' }))).toEqual([]);
    expect(await uuids(store().allocations.list({}, ALL, { project: 'A' }))).toEqual(['a1']);
    expect(await uuids(store().allocations.list({}, ALL, { project: 'B' }))).toEqual([]);
    expect(await uuids(store().chassis.list({}, ALL, { project: 'A' }))).toEqual([]);
  });

  it('deploy templates keep their steps', async () => {
    const steps = [{ interface: 'bios', step: 'apply_configuration', args: {}, priority: 150 }];
    await store().deployTemplates.create({ uuid: 'd1', name: 'CUSTOM_HT', steps }, NOW);
    expect(await store().deployTemplates.find('CUSTOM_HT')).toMatchObject({ uuid: 'd1', steps, extra: {} });
  });

  it('runbooks of a project are its own and public ones', async () => {
    const steps = [{ interface: 'bios', step: 'factory_reset', args: {}, order: 1 }];
    const own = await store().runbooks.create({ uuid: 'r1', name: 'CUSTOM_A', steps, owner: 'A' }, NOW);
    expect(own).toMatchObject({ steps, owner: 'A', public: false, disableRamdisk: false, extra: {} });
    await store().runbooks.create({ uuid: 'r2', name: 'CUSTOM_B', steps, public: true }, NOW);
    await store().runbooks.create({ uuid: 'r3', name: 'CUSTOM_C', steps, owner: 'C' }, NOW);
    const seen = await store().runbooks.list({}, ALL, { project: 'A' });
    expect(seen.map(({ name }) => name)).toEqual(['CUSTOM_A', 'CUSTOM_B']);
    await expectError(
      store().runbooks.create({ uuid: 'r4', name: 'CUSTOM_A', steps }, NOW),
      'conflict',
      'A runbook with name CUSTOM_A already exists.',
    );
  });

  it('names of ports exist once, and many have none', async () => {
    const { uuid: nodeUuid } = await store().nodes.create(newNode(), NOW);
    const port = (last: number, name?: string) => {
      const address = `52:54:00:00:00:0${last}` as Mac;
      return store().ports.create(
        { uuid: uuid(), nodeUuid, address, ...(name === undefined ? {} : { name }) },
        NOW,
      );
    };
    await port(1);
    await port(2);
    const { uuid: named } = await port(3, 'up');
    expect(await store().ports.find('up')).toMatchObject({ uuid: named });
    await expectError(port(4, 'up'), 'conflict', 'A port with name up already exists.');
  });

  it('a parent stays while it has children', async () => {
    const { uuid: parentNode } = await store().nodes.create(newNode(), NOW);
    const child = await store().nodes.create(newNode({ parentNode }), NOW);
    const uuids = async (filter: NodeFilter) =>
      (await store().nodes.list(filter, ALL)).map((one) => one.uuid);
    expect(await uuids({ parentNode })).toEqual([child.uuid]);
    expect(await uuids({ child: false })).toEqual([parentNode]);
    await expectError(store().nodes.delete(parentNode), 'conflict', 'has child nodes');
    await expectError(store().nodes.update(child.uuid, { parentNode: uuid() }, NOW), 'conflict', 'that node');
    await store().nodes.delete(child.uuid);
    await store().nodes.delete(parentNode);
  });
}
