/**
 * Two writers at once. Each one reads, waits until the other has read, too, if the store allows that, and then writes a
 * value that depends on its read. The store may make the second one wait or run its work again: the result must be
 * the same as if the two had run one after the other.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import type { IngotError } from '../../domain/errors.ts';
import { listAll } from '../../domain/store/page.ts';
import type { Store } from '../../domain/store/store.ts';
import { expectError, later, mac, NOW, newNode, newPort, type Subject } from './samples.ts';

/** Long enough for the other writer to read, if the store runs both at once. */
const MEETING_MS = 20;

/** Waits until both writers have read, unless the store makes one wait for the other. */
function meeting(): () => Promise<void> {
  let here = 0;
  const { promise: both, resolve } = Promise.withResolvers<void>();
  return () => {
    if (++here === 2) resolve();
    return Promise.race([both, sleep(MEETING_MS)]);
  };
}

/** Runs the same work twice at once. */
function twice<T>(store: Store, work: (tx: Store, nth: number, met: () => Promise<void>) => Promise<T>) {
  const met = meeting();
  return Promise.allSettled([0, 1].map((nth) => store.transaction((tx) => work(tx, nth, met))));
}

export function interleavingConformance(store: Subject): void {
  describe('of two writers at once', () => {
    it('one sees what the other has written', async () => {
      const { uuid } = await store().nodes.create(newNode({ extra: { count: 0 } }), NOW);
      await twice(store(), async (tx, _, met) => {
        const { extra } = await tx.nodes.get(uuid);
        await met();
        await tx.nodes.update(uuid, { extra: { count: (extra['count'] as number) + 1 } }, NOW);
      });
      expect((await store().nodes.get(uuid)).extra).toEqual({ count: 2 });
    });

    it('one finds the record that the other has made, which neither had seen', async () => {
      const { uuid: nodeUuid } = await store().nodes.create(newNode(), NOW);
      await twice(store(), async (tx, nth, met) => {
        const ports = await listAll(tx.ports, { nodeUuid });
        await met();
        if (ports.length === 0) await tx.ports.create(newPort(nodeUuid, mac(nth)), NOW);
      });
      expect(await listAll(store().ports, { nodeUuid })).toHaveLength(1);
    });

    it('each writes another record than it has read, and a rule about both holds', async () => {
      const nodes = [await store().nodes.create(newNode(), NOW), await store().nodes.create(newNode(), NOW)];
      await twice(store(), async (tx, nth, met) => {
        const inService = await listAll(tx.nodes, { maintenance: false });
        await met();
        if (inService.length > 1) await tx.nodes.update(nodes[nth]!.uuid, { maintenance: true }, NOW);
      });
      expect(await listAll(store().nodes, { maintenance: false })).toHaveLength(1);
    });

    it('one is refused what exists once, and leaves nothing of the rest of its work', async () => {
      const outcomes = await twice(store(), async (tx, nth, met) => {
        await tx.chassis.create({ uuid: `c${nth}` }, NOW);
        await met();
        await tx.nodes.create(newNode({ name: 'one', chassisUuid: `c${nth}` }), NOW);
      });
      const refusals = outcomes.filter((one) => one.status === 'rejected');
      expect(refusals.map(({ reason }) => (reason as IngotError).code)).toEqual(['conflict']);
      const { chassisUuid } = await store().nodes.get('one');
      expect((await listAll(store().chassis, {})).map(({ uuid }) => uuid)).toEqual([chassisUuid]);
    });

    it('one changes what the other deletes, before or not at all', async () => {
      const { uuid } = await store().chassis.create({ uuid: 'c1' }, NOW);
      await twice(store(), async (tx, nth, met) => {
        const found = await tx.chassis.find(uuid);
        await met();
        if (found === undefined) return;
        if (nth === 0) await tx.chassis.delete(uuid);
        else await tx.chassis.update(uuid, { description: 'late' }, NOW);
      });
      await expectError(store().chassis.get(uuid), 'notFound', 'Chassis c1 could not be found.');
    });

    it('one gets the node, outside of transactions too', async () => {
      const { uuid } = await store().nodes.create(newNode(), NOW);
      const hold = (owner: string) =>
        store().nodes.hold(uuid, { owner, purpose: 'deploy', since: NOW, deadline: later(60_000) });
      const got = await Promise.all(['a', 'b', 'c'].map(hold));
      expect(got.filter(Boolean)).toHaveLength(1);
      const opened = await Promise.all(
        ['x', 'y'].map((token) => store().nodes.openSession(uuid, { token, certificate: null }, NOW)),
      );
      expect(opened.filter(Boolean)).toHaveLength(1);
    });
  });
}
