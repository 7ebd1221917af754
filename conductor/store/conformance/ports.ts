/** Ports and inventories. */
import { describe, expect, it } from 'vitest';
import { ALL, expectError, later, mac, NOW, newNode, newPort, type Subject } from './samples.ts';

export function portConformance(store: Subject): void {
  describe('ports', () => {
    it('fills what is not given', async () => {
      const { uuid } = await store().nodes.create(newNode(), NOW);
      const input = newPort(uuid, mac(1));
      const { id, ...port } = await store().ports.create(input, NOW);
      expect(id).toBeGreaterThan(0);
      expect(port).toEqual({
        ...input,
        name: null,
        pxeEnabled: true,
        localLinkConnection: {},
        physicalNetwork: null,
        portgroupUuid: null,
        isSmartnic: false,
        description: null,
        vendor: null,
        category: null,
        availableForDynamicPortgroup: true,
        extra: {},
        internalInfo: {},
        createdAt: NOW,
        updatedAt: null,
      });
    });

    it('keeps every field, and changes only what the patch names', async () => {
      const { uuid } = await store().nodes.create(newNode(), NOW);
      const patch = {
        name: 'eth0',
        pxeEnabled: false,
        localLinkConnection: { switch_id: 'x' },
        physicalNetwork: 'net',
        isSmartnic: true,
        extra: { a: [1] },
      };
      const port = await store().ports.create(newPort(uuid, mac(1), patch), NOW);
      expect(port).toMatchObject(patch);
      const changed = await store().ports.update(port.uuid, { address: mac(2), extra: {} }, later(1));
      expect(changed).toEqual({ ...port, address: mac(2), extra: {}, updatedAt: later(1) });
      expect(await store().ports.find(port.uuid)).toEqual(changed);
    });

    it('refuses a second port with the same MAC or uuid, and one without a node', async () => {
      const { uuid } = await store().nodes.create(newNode(), NOW);
      const port = await store().ports.create(newPort(uuid, mac(1)), NOW);
      const other = await store().ports.create(newPort(uuid, mac(2)), NOW);
      const taken = `A port with MAC address ${mac(1)} already exists.`;
      await expectError(store().ports.create(newPort(uuid, mac(1)), NOW), 'conflict', taken);
      await expectError(store().ports.update(other.uuid, { address: mac(1) }, NOW), 'conflict', taken);
      const again = newPort(uuid, mac(3), { uuid: port.uuid });
      await expectError(store().ports.create(again, NOW), 'conflict', `A port with UUID ${port.uuid}`);
      await expectError(store().ports.create(newPort('gone', mac(4)), NOW), 'notFound', 'Node gone');
      await expectError(
        store().ports.update(other.uuid, { nodeUuid: 'gone' }, NOW),
        'notFound',
        'Node gone could not be found.',
      );
    });

    it('lists by node or MAC, in pages', async () => {
      const a = await store().nodes.create(newNode(), NOW);
      const b = await store().nodes.create(newNode(), NOW);
      for (const number of [3, 1, 2]) await store().ports.create(newPort(a.uuid, mac(number)), NOW);
      await store().ports.create(newPort(b.uuid, mac(4)), NOW);
      const addresses = async (...args: Parameters<ReturnType<Subject>['ports']['list']>) =>
        (await store().ports.list(...args)).map((port) => port.address);
      expect(await addresses({ nodeUuid: a.uuid }, ALL)).toEqual([mac(3), mac(1), mac(2)]);
      expect(await addresses({ address: mac(4) }, ALL)).toEqual([mac(4)]);
      expect(await addresses({ nodeUuid: a.uuid, address: mac(4) }, ALL)).toEqual([]);
      const page = { limit: 2, sortKey: 'address', sortDir: 'desc' } as const;
      const [first, second] = await store().ports.list({}, page);
      expect([first?.address, second?.address]).toEqual([mac(4), mac(3)]);
      expect(await addresses({}, { ...page, marker: second!.uuid })).toEqual([mac(2), mac(1)]);
    });

    it('deletes, and says when there is nothing', async () => {
      const { uuid } = await store().nodes.create(newNode(), NOW);
      const port = await store().ports.create(newPort(uuid, mac(1)), NOW);
      await store().ports.delete(port.uuid);
      expect(await store().ports.find(port.uuid)).toBeUndefined();
      await expectError(store().ports.delete(port.uuid), 'notFound', `Port ${port.uuid}`);
      await expectError(store().ports.update(port.uuid, { name: 'x' }, NOW), 'notFound', `Port ${port.uuid}`);
      await store().ports.create(newPort(uuid, mac(1)), NOW);
    });
  });

  describe('inventory', () => {
    it('is replaced as a whole', async () => {
      const { uuid } = await store().nodes.create(newNode(), NOW);
      expect(await store().inventory.get(uuid)).toBeUndefined();
      await store().inventory.put(uuid, { inventory: { cpu: { count: 4 } }, pluginData: { a: 1 } }, NOW);
      const second = { inventory: { memory: 1 }, pluginData: {} };
      await store().inventory.put(uuid, second, later(1));
      expect(await store().inventory.get(uuid)).toEqual(second);
    });

    it('needs its node', async () => {
      const empty = { inventory: {}, pluginData: {} };
      await expectError(store().inventory.put('gone', empty, NOW), 'notFound', 'Node gone');
    });
  });
}
