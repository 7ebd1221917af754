/** Transactions: they are atomic and isolated, and misuse throws instead of a deadlock. */
import { describe, expect, it } from 'vitest';
import { expectError, later, mac, NOW, newNode, newPort, type Subject } from './samples.ts';

export function transactionConformance(store: Subject): void {
  describe('transactions', () => {
    it('keep all of the work and give back its result', async () => {
      const node = newNode({ driverInfo: { password: 'p' } });
      const result = await store().transaction(async (tx) => {
        await tx.nodes.create(node, NOW);
        await tx.ports.create(newPort(node.uuid, mac(1)), NOW);
        return (await tx.nodes.find(node.uuid))?.uuid;
      });
      expect(result).toBe(node.uuid);
      expect((await store().nodes.findByMacs([mac(1)]))[0]?.driverInfo).toEqual({ password: 'p' });
    });

    it('keep nothing of work that fails', async () => {
      const kept = await store().nodes.create(newNode({ driverInfo: { password: 'old' } }), NOW);
      const work = store().transaction(async (tx) => {
        await tx.nodes.create(newNode({ name: 'half' }), NOW);
        await tx.nodes.update(kept.uuid, { driverInfo: { password: 'new' } }, NOW);
        await tx.nodes.hold(kept.uuid, { owner: 'c', purpose: 'p', since: NOW, deadline: later(1) });
        throw new Error('half way');
      });
      await expect(work).rejects.toThrow('half way');
      expect(await store().nodes.find('half')).toBeUndefined();
      expect(await store().nodes.find(kept.uuid)).toEqual(kept);
    });

    it('nest, as one', async () => {
      const work = store().transaction(async (tx) => {
        await tx.transaction((inner) => inner.nodes.create(newNode({ name: 'inner' }), NOW));
        expect(await tx.nodes.find('inner')).toBeDefined();
        throw new Error('outer');
      });
      await expect(work).rejects.toThrow('outer');
      expect(await store().nodes.find('inner')).toBeUndefined();
    });

    it('go on after a refusal that the work caught', async () => {
      await store().nodes.create(newNode({ name: 'taken' }), NOW);
      await store().transaction(async (tx) => {
        await expectError(tx.nodes.create(newNode({ name: 'taken' }), NOW), 'conflict', 'taken');
        await tx.nodes.create(newNode({ name: 'free' }), NOW);
      });
      expect(await store().nodes.find('free')).toBeDefined();
    });

    it('let nobody else see or do anything in between', async () => {
      const { uuid } = await store().nodes.create(newNode({ extra: { count: 0 } }), NOW);
      const increment = () =>
        store().transaction(async (tx) => {
          const node = (await tx.nodes.find(uuid))!;
          const count = (node.extra['count'] as number) + 1;
          await new Promise((resolve) => setImmediate(resolve));
          await tx.nodes.update(uuid, { extra: { count } }, NOW);
        });
      const reads = Promise.all(Array.from({ length: 5 }, () => store().nodes.find(uuid)));
      await Promise.all(Array.from({ length: 10 }, increment));
      await reads;
      expect((await store().nodes.find(uuid))?.extra).toEqual({ count: 10 });
    });

    it('hide their work from others until it is done, and undone work for ever', async () => {
      const { uuid } = await store().nodes.create(newNode(), NOW);
      let begun: (() => void) | undefined;
      const started = new Promise<void>((resolve) => {
        begun = resolve;
      });
      const failing = store().transaction(async (tx) => {
        await tx.nodes.update(uuid, { lastError: 'never' }, NOW);
        begun?.();
        await new Promise((resolve) => setImmediate(resolve));
        throw new Error('undone');
      });
      await started;
      const seen = store().nodes.find(uuid);
      const written = store().nodes.update(uuid, { fault: 'beside' }, NOW);
      await expect(failing).rejects.toThrow('undone');
      expect((await seen)?.lastError).toBeNull();
      expect(await written).toMatchObject({ lastError: null, fault: 'beside' });
    });

    it('say so when the outer store is used within, rather than wait for ever', async () => {
      const work = store().transaction(async () => store().nodes.find('x'));
      await expect(work).rejects.toThrow('inside its own transaction');
      const nested = store().transaction(async () => store().transaction(async () => undefined));
      await expect(nested).rejects.toThrow('inside its own transaction');
      expect(await store().nodes.find('x')).toBeUndefined();
    });
  });
}
