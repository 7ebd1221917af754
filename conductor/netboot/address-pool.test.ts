import { expect, it } from 'vitest';
import { createBootWorld } from '../../test/fakes/netboot/boot-world.ts';
import type { LeaseStore, Mac } from '../domain/boot.ts';
import { createAddressPool } from './address-pool.ts';
import { broadcastOf, sameNetwork, toDotted, toNumber } from './ipv4.ts';

const macs = Array.from({ length: 40 }, (_, i) => `52:54:00:00:00:${(i + 16).toString(16)}` as Mac);

function poolOf(leases: LeaseStore = createBootWorld({}).leases) {
  const now = () => new Date(0);
  const range = { rangeStart: '10.1.0.10', rangeEnd: '10.1.0.41', taken: ['10.1.0.11', '10.1.0.12'] };
  return createAddressPool({ leases, ...range, leaseSeconds: 60, now });
}

it('gives a rack that starts at once an address each, and none twice', async () => {
  const pool = poolOf();
  const given = (await Promise.all(macs.slice(0, 30).map((mac) => pool.offer(mac, undefined)))).filter(
    (address) => address !== undefined,
  );
  expect(new Set(given).size).toBe(30);
  expect(given).not.toContain('10.1.0.11');
});

it('asks the store about as often as there are machines', async () => {
  const { leases } = createBootWorld({});
  let asked = 0;
  const slow: LeaseStore = {
    ...leases,
    async put(lease, now) {
      asked += 1;
      await new Promise((resolve) => setImmediate(resolve));
      return leases.put(lease, now);
    },
  };
  const pool = poolOf(slow);
  await Promise.all(macs.slice(0, 30).map((mac) => pool.offer(mac, undefined)));
  expect(asked).toBeLessThan(60);
});

it('gives a machine that repeats itself one address', async () => {
  const { leases } = createBootWorld({});
  // As a real store answers: later, so that the second request is asked before the first is granted.
  const later = () => new Promise((resolve) => setImmediate(resolve));
  const slow: LeaseStore = {
    ...leases,
    byMac: async (mac) => {
      await later();
      return leases.byMac(mac);
    },
    put: async (lease, now) => {
      await later();
      return leases.put(lease, now);
    },
  };
  const pool = poolOf(slow);
  const given = await Promise.all([1, 2, 3].map(() => pool.offer(macs[0]!, undefined)));
  expect(new Set(given).size).toBe(1);
});

it('reckons with addresses', () => {
  expect(toDotted(toNumber('255.254.1.0'))).toBe('255.254.1.0');
  expect(sameNetwork('200.1.2.3', '200.1.3.3', '255.255.254.0')).toBe(true);
  expect(sameNetwork('200.1.2.3', '200.1.4.3', '255.255.254.0')).toBe(false);
  expect(broadcastOf('200.1.2.3', '255.255.254.0')).toBe('200.1.3.255');
});
