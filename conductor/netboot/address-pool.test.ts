import { beforeEach, describe, expect, it } from 'vitest';
import { createBootFakes } from '../../test/fakes/netboot/boot-fakes.ts';
import type { LeaseStore, Mac } from '../domain/boot.ts';
import { type AddressPool, createAddressPool } from './address-pool.ts';

const LEASE_MS = 3_600_000;
const macs = Array.from({ length: 40 }, (_, i) => `52:54:00:00:00:${(i + 16).toString(16)}` as Mac);
const [A, B, C] = macs as [Mac, Mac, Mac, ...Mac[]];

let clock: number;
let leases: LeaseStore;
/** Addresses that are reserved for servers. */
let reserved: Set<string>;

/** 10.1.0.10 to 10.1.0.13, without .11 and .12 unless `taken` says otherwise. */
function poolOf(
  more: { store?: LeaseStore; rangeEnd?: string; taken?: readonly string[] } = {},
): AddressPool {
  return createAddressPool({
    leases: more.store ?? leases,
    rangeStart: '10.1.0.10',
    rangeEnd: more.rangeEnd ?? '10.1.0.13',
    taken: more.taken ?? ['10.1.0.11', '10.1.0.12'],
    isReserved: async (address) => reserved.has(address),
    leaseMs: LEASE_MS,
    now: () => new Date(clock),
  });
}

/** The milliseconds until the machine's lease ends; undefined without one. */
async function remaining(mac: Mac): Promise<number | undefined> {
  const lease = await leases.byMac(mac);
  return lease && lease.expiresAt.getTime() - clock;
}

beforeEach(() => {
  clock = Date.UTC(2026, 0, 1);
  leases = createBootFakes({}).leases;
  reserved = new Set();
});

describe('machines that start at the same time', () => {
  it('get different addresses', async () => {
    const pool = poolOf({ rangeEnd: '10.1.0.41' });
    const given = (await Promise.all(macs.slice(0, 30).map((mac) => pool.offer(mac, undefined)))).filter(
      (address) => address !== undefined,
    );
    expect(new Set(given).size).toBe(30);
    expect(given).not.toContain('10.1.0.11');
  });

  it('cost about one write each', async () => {
    let writes = 0;
    const slow: LeaseStore = {
      ...leases,
      async put(lease, now) {
        writes += 1;
        await new Promise((resolve) => setImmediate(resolve));
        return leases.put(lease, now);
      },
    };
    const pool = poolOf({ store: slow, rangeEnd: '10.1.0.41' });
    await Promise.all(macs.slice(0, 30).map((mac) => pool.offer(mac, undefined)));
    expect(writes).toBeLessThan(60);
  });

  it('get one address even if they send the same request several times', async () => {
    // Slow as a real store, so that the second request comes before the first is answered.
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
    const pool = poolOf({ store: slow });
    const given = await Promise.all([1, 2, 3].map(() => pool.offer(A, undefined)));
    expect(new Set(given).size).toBe(1);
  });
});

describe('an offer', () => {
  it('prefers the last address of the machine, then the wanted one, then the first free one', async () => {
    const pool = poolOf();
    expect(await pool.offer(A, '10.1.0.13')).toBe('10.1.0.13');
    expect(await pool.offer(A, '10.1.0.10')).toBe('10.1.0.13');
    expect(await pool.offer(B, '10.1.0.13')).toBe('10.1.0.10');
    expect(await pool.offer(C, undefined)).toBeUndefined();
  });

  it.each(['10.1.0.9', '10.1.0.14', '10.1.0.11'])(
    'never leases %s, which is not in the range',
    async (address) => {
      const pool = poolOf();
      expect(await pool.offer(A, address)).toBe('10.1.0.10');
      expect(await pool.lease(A, address)).toBe(false);
    },
  );

  it('uses the whole range, including its ends', async () => {
    const pool = poolOf({ taken: [] });
    const given = await Promise.all(macs.slice(0, 5).map((mac) => pool.offer(mac, undefined)));
    expect(given).toEqual(['10.1.0.10', '10.1.0.11', '10.1.0.12', '10.1.0.13', undefined]);
  });

  it('uses unused addresses before those of expired leases', async () => {
    const pool = poolOf();
    await pool.lease(A, '10.1.0.10');
    clock += LEASE_MS;
    expect(await pool.offer(B, undefined)).toBe('10.1.0.13');
    expect(await pool.offer(C, undefined)).toBe('10.1.0.10');
  });

  it('does not shorten the lease of a machine that restarts', async () => {
    const pool = poolOf();
    await pool.lease(A, '10.1.0.10');
    await pool.offer(A, undefined);
    expect(await remaining(A)).toBe(LEASE_MS);
    clock += LEASE_MS - 30_000;
    await pool.offer(A, undefined);
    expect(await remaining(A)).toBe(60_000);
  });
});

describe('an address that is reserved for a server', () => {
  it('is neither offered nor leased to other machines', async () => {
    reserved.add('10.1.0.10');
    const pool = poolOf();
    expect(await pool.offer(A, '10.1.0.10')).toBe('10.1.0.13');
    expect(await pool.lease(A, '10.1.0.10')).toBe(false);
  });

  it('is no longer offered when it is reserved after the offer', async () => {
    const racing: LeaseStore = {
      ...leases,
      async put(lease, now) {
        reserved.add(lease.address);
        return leases.put(lease, now);
      },
    };
    expect(await poolOf({ store: racing }).offer(A, undefined)).toBeUndefined();
    expect(await leases.list()).toEqual([]);
  });

  it.each(['10.1.0.10', '10.1.0.77'])(
    'is leased to the machine of the server, in the range or not: %s',
    async (own) => {
      reserved.add(own);
      const pool = poolOf();
      expect(await pool.offer(A, undefined, own)).toBe(own);
      expect(await remaining(A)).toBe(60_000);
      expect(await pool.lease(A, own, own)).toBe(true);
      expect(await remaining(A)).toBe(LEASE_MS);
      // An offer after a restart of the machine keeps its lease.
      expect(await pool.offer(A, undefined, own)).toBe(own);
      expect(await remaining(A)).toBe(LEASE_MS);
    },
  );

  it('is renewed: an offer never shortens the lease', async () => {
    const pool = poolOf();
    await pool.lease(A, '10.1.0.77', '10.1.0.77');
    clock += 1_000;
    expect(await pool.lease(A, '10.1.0.77', '10.1.0.77')).toBe(true);
    expect(await remaining(A)).toBe(LEASE_MS);
  });

  it('stays with another machine that leased it before, until that lease ends', async () => {
    const pool = poolOf();
    await pool.lease(B, '10.1.0.10');
    reserved.add('10.1.0.10');
    expect(await pool.offer(A, undefined, '10.1.0.10')).toBe('10.1.0.13');
    expect(await remaining(B)).toBe(LEASE_MS);
    clock += LEASE_MS;
    expect(await pool.offer(A, undefined, '10.1.0.10')).toBe('10.1.0.10');
  });

  it('outside the range moves at once from the previous machine of the server to the new one', async () => {
    const pool = poolOf();
    await pool.lease(A, '10.1.0.77', '10.1.0.77');
    expect(await pool.offer(B, undefined, '10.1.0.77')).toBe('10.1.0.77');
    expect((await leases.byAddress('10.1.0.77'))?.mac).toBe(B);
    expect(await leases.byMac(A)).toBeUndefined();
  });

  it('is not leased while it is declined', async () => {
    const pool = poolOf();
    await pool.lease(A, '10.1.0.77', '10.1.0.77');
    expect(await pool.decline(A, '10.1.0.77')).toBe('declined');
    expect(await pool.offer(A, undefined, '10.1.0.77')).toBe('10.1.0.10');
    clock += 600_000;
    expect(await pool.offer(A, undefined, '10.1.0.77')).toBe('10.1.0.77');
  });

  it('does not end another lease of its machine, which can be renewed but not replaced by a third address', async () => {
    const pool = poolOf();
    await pool.lease(A, '10.1.0.10');
    expect(await pool.lease(A, '10.1.0.10', '10.1.0.77')).toBe(true);
    expect(await pool.lease(A, '10.1.0.13', '10.1.0.77')).toBe(false);
  });
});

describe('a lease', () => {
  it('of a machine that asks for another address is refused while its own is good', async () => {
    const pool = poolOf();
    await pool.lease(A, '10.1.0.10');
    expect(await pool.lease(A, '10.1.0.13')).toBe(false);
    expect((await leases.byMac(A))?.address).toBe('10.1.0.10');
  });

  it('moves to another address when its own became reserved or is outside the range', async () => {
    const pool = poolOf();
    await pool.lease(A, '10.1.0.10');
    reserved.add('10.1.0.10');
    expect(await pool.lease(A, '10.1.0.13')).toBe(true);
    await leases.put({ mac: B, address: '10.2.0.5', expiresAt: new Date(clock + LEASE_MS) }, new Date(clock));
    reserved.clear();
    expect(await pool.lease(B, '10.1.0.10')).toBe(true);
  });

  it('is refused for an address of another machine', async () => {
    const pool = poolOf();
    await pool.lease(A, '10.1.0.10');
    expect(await pool.lease(B, '10.1.0.10')).toBe(false);
    expect((await leases.byAddress('10.1.0.10'))?.mac).toBe(A);
  });
});

describe('RELEASE and DECLINE', () => {
  it('end the lease of the machine itself', async () => {
    const pool = poolOf();
    await pool.lease(A, '10.1.0.10');
    await pool.release(A, '10.1.0.10');
    expect(await remaining(A)).toBe(0);
    expect(await pool.offer(A, undefined)).toBe('10.1.0.10');
  });

  it('of another address change nothing, whoever has it', async () => {
    const pool = poolOf();
    await pool.lease(A, '10.1.0.10');
    await pool.lease(B, '10.1.0.13');
    for (const mac of [A, C]) {
      await pool.release(mac, '10.1.0.13');
      expect(await pool.decline(mac, '10.1.0.13')).toBe('not leased');
    }
    expect([await remaining(A), await remaining(B)]).toEqual([LEASE_MS, LEASE_MS]);
    expect(await leases.byMac(C)).toBeUndefined();
    expect(await leases.declined(new Date(clock))).toEqual([]);
  });
});

it('counts only the leased and offered addresses of the range', async () => {
  const pool = poolOf({ taken: ['10.1.0.11', '10.9.9.9'] });
  await pool.lease(A, '10.1.0.10');
  await pool.lease(B, '10.1.0.77', '10.1.0.77');
  await pool.lease(C, '10.1.0.12');
  await pool.decline(C, '10.1.0.12');
  expect(await pool.usage()).toEqual({ addresses: 3, held: 1, declined: 1 });
  clock += LEASE_MS;
  expect(await pool.usage()).toEqual({ addresses: 3, held: 0, declined: 0 });
});
