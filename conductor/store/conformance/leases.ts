/** Address leases: two machines never get the same address. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { later, mac, NOW, type Subject } from './samples.ts';

export function leaseConformance(store: Subject): void {
  const put = (number: number, address: string, expiresIn: number, at = NOW) =>
    store().leases.put({ mac: mac(number), address, expiresAt: later(expiresIn) }, at);

  describe('leases', () => {
    it('are found by MAC and by address', async () => {
      expect(await put(1, '10.0.0.5', 1_000)).toBe(true);
      const lease = { mac: mac(1), address: '10.0.0.5', expiresAt: later(1_000) };
      expect(await store().leases.byMac(mac(1))).toEqual(lease);
      expect(await store().leases.byAddress('10.0.0.5')).toEqual(lease);
      expect(await store().leases.byMac(mac(2))).toBeUndefined();
      expect(await store().leases.byAddress('10.0.0.6')).toBeUndefined();
      expect(await store().leases.list()).toEqual([lease]);
    });

    it('are renewed, and move with the machine', async () => {
      await put(1, '10.0.0.5', 1_000);
      expect(await put(1, '10.0.0.5', 2_000)).toBe(true);
      expect(await put(1, '10.0.0.6', 3_000)).toBe(true);
      expect(await store().leases.list()).toEqual([
        { mac: mac(1), address: '10.0.0.6', expiresAt: later(3_000) },
      ]);
    });

    it('keep an address from another machine until they end', async () => {
      await put(1, '10.0.0.5', 1_000);
      await put(2, '10.0.0.6', 1_000);
      expect(await put(2, '10.0.0.5', 5_000, later(999))).toBe(false);
      expect((await store().leases.byMac(mac(2)))?.address).toBe('10.0.0.6');
      expect((await store().leases.byAddress('10.0.0.5'))?.mac).toBe(mac(1));
      expect(await put(2, '10.0.0.5', 5_000, later(1_000))).toBe(true);
      expect(await store().leases.byMac(mac(1))).toBeUndefined();
      expect(await store().leases.list()).toHaveLength(1);
    });

    it('end when released', async () => {
      await put(1, '10.0.0.5', 1_000);
      await store().leases.release(mac(1));
      await store().leases.release(mac(1));
      expect(await store().leases.list()).toEqual([]);
      expect(await put(2, '10.0.0.5', 1_000)).toBe(true);
    });

    it('give way when their address is declined, which lasts for its time', async () => {
      const decline = (address: string, until: number, now: number) =>
        store().leases.decline({ address, until: later(until) }, later(now));
      await put(1, '10.0.0.5', 1_000);
      await put(2, '10.0.0.6', 1_000);
      await decline('10.0.0.5', 700, 0);
      await decline('10.0.0.4', 500, 0);
      await decline('10.0.0.5', 600, 0);
      expect((await store().leases.list()).map(({ address }) => address)).toEqual(['10.0.0.6']);
      const declined = async (now: number) =>
        (await store().leases.declined(later(now))).map(({ address, until }) => [address, until]);
      expect(await declined(0)).toEqual([
        ['10.0.0.4', later(500)],
        ['10.0.0.5', later(700)],
      ]);
      expect(await declined(500)).toEqual([['10.0.0.5', later(700)]]);
      expect(await declined(700)).toEqual([]);
      await decline('10.0.0.4', 900, 800);
      expect(await declined(0)).toEqual([['10.0.0.4', later(900)]]);
    });

    it('agree with a model, however they are asked for', async () => {
      const call = fc.record({ number: fc.nat(3), host: fc.nat(2), expiresIn: fc.nat(20), pass: fc.nat(8) });
      await fc.assert(
        fc.asyncProperty(fc.array(call, { maxLength: 15 }), async (calls) => {
          for (const { mac } of await store().leases.list()) await store().leases.release(mac);
          const model = new Map<string, { owner: number; expiresAt: number }>();
          let clock = 0;
          for (const { number, host, expiresIn, pass } of calls) {
            clock += pass;
            const address = `10.0.0.${host}`;
            const held = model.get(address);
            const free = held === undefined || held.owner === number || held.expiresAt <= clock;
            expect(await put(number, address, clock + expiresIn, later(clock))).toBe(free);
            if (!free) continue;
            for (const [other, { owner }] of model) if (owner === number) model.delete(other);
            model.set(address, { owner: number, expiresAt: clock + expiresIn });
          }
          const leases = await store().leases.list();
          expect(leases.map((lease) => [lease.address, lease.mac])).toEqual(
            [...model].map(([address, { owner }]) => [address, mac(owner)]).sort(),
          );
        }),
        { seed: 1, numRuns: 30 },
      );
    });
  });
}
