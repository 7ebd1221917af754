/** Boot sightings: the node that they belong to, and their limits. */
import { describe, expect, it } from 'vitest';
import type { BootSighting } from '../../domain/boot.ts';
import { later, mac, NOW, newNode, newPort, type Subject } from './samples.ts';

export function sightingConformance(store: Subject): void {
  const seen = async (uuid: string, since = later(-1_000_000)) => store().sightings.forNode(uuid, since);

  describe('sightings', () => {
    it('are found by node or by any MAC of its ports, oldest first, from a time on', async () => {
      const node = await store().nodes.create(newNode(), NOW);
      const other = await store().nodes.create(newNode(), NOW);
      await store().ports.create(newPort(node.uuid, mac(1)), NOW);
      await store().ports.create(newPort(node.uuid, mac(2)), NOW);
      await store().ports.create(newPort(other.uuid, mac(3)), NOW);
      const add = (sighting: BootSighting) => store().sightings.add(sighting);
      await add({ kind: 'kernel done', at: later(4), mac: mac(2), bytes: 5_000_000_000, detail: 'vmlinuz' });
      await add({ kind: 'power on', at: later(1), nodeUuid: node.uuid });
      await add({ kind: 'dhcp discover', at: later(2), mac: mac(1) });
      await add({ kind: 'dhcp offer', at: later(2), mac: mac(1) });
      await add({ kind: 'dhcp discover', at: later(3), mac: mac(3) });
      await add({ kind: 'dhcp discover', at: later(3), mac: mac(9) });
      await add({ kind: 'dhcp discover', at: later(3) });

      const kinds = async (since: Date) => (await seen(node.uuid, since)).map((sighting) => sighting.kind);
      expect(await kinds(NOW)).toEqual(['power on', 'dhcp discover', 'dhcp offer', 'kernel done']);
      expect(await kinds(later(2))).toEqual(['dhcp discover', 'dhcp offer', 'kernel done']);
      expect((await seen(node.uuid)).at(-1)).toMatchObject({
        kind: 'kernel done',
        at: later(4),
        mac: mac(2),
        bytes: 5_000_000_000,
        detail: 'vmlinuz',
      });
      expect((await seen(node.uuid))[0]).toEqual({ kind: 'power on', at: later(1), nodeUuid: node.uuid });
      expect(await seen(other.uuid)).toHaveLength(1);
    });

    it('made before the machine was enrolled are its own', async () => {
      await store().sightings.add({ kind: 'dhcp discover', at: NOW, mac: mac(1) });
      const node = await store().nodes.create(newNode(), NOW);
      await store().ports.create(newPort(node.uuid, mac(1)), NOW);
      expect(await seen(node.uuid)).toHaveLength(1);
    });

    it('of a node that is gone are taken without complaint', async () => {
      await store().sightings.add({ kind: 'power on', at: NOW, nodeUuid: 'gone' });
      expect(await seen('gone')).toEqual([]);
    });

    it('keep the newest of each MAC and of each node', async () => {
      const node = await store().nodes.create(newNode(), NOW);
      await store().ports.create(newPort(node.uuid, mac(1)), NOW);
      await store().ports.create(newPort(node.uuid, mac(2)), NOW);
      await store().sightings.add({ kind: 'script', at: NOW, mac: mac(2) });
      await store().transaction(async (tx) => {
        for (let count = 1; count <= 400; count += 1) {
          await tx.sightings.add({ kind: 'dhcp discover', at: later(count), mac: mac(1) });
          await tx.sightings.add({ kind: 'heartbeat', at: later(count), nodeUuid: node.uuid });
        }
      });
      const count = async (kind: string) => (await seen(node.uuid)).filter((s) => s.kind === kind).length;
      for (const kind of ['dhcp discover', 'heartbeat']) {
        expect(await count(kind)).toBeGreaterThanOrEqual(100);
        expect(await count(kind)).toBeLessThanOrEqual(250);
      }
      expect(await count('script')).toBe(1);
      expect((await seen(node.uuid)).at(-1)?.at).toEqual(later(400));
    });

    it('of machines we do not know are bounded in total and push out nobody we know', async () => {
      const node = await store().nodes.create(newNode(), NOW);
      await store().ports.create(newPort(node.uuid, mac(1)), NOW);
      await store().sightings.add({ kind: 'dhcp discover', at: NOW, mac: mac(1) });
      await store().transaction(async (tx) => {
        for (let number = 1_000; number < 4_000; number += 1) {
          await tx.sightings.add({ kind: 'dhcp discover', at: NOW, mac: mac(number) });
        }
      });
      expect(await seen(node.uuid)).toHaveLength(1);
      // enrol the last and the first of these machines: only the last one still has its sighting
      await store().ports.create(newPort(node.uuid, mac(3_999)), NOW);
      expect(await seen(node.uuid)).toHaveLength(2);
      await store().ports.create(newPort(node.uuid, mac(1_000)), NOW);
      expect(await seen(node.uuid)).toHaveLength(2);
    });
  });
}
