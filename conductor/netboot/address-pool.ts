/**
 * The addresses of the DHCP range. An OFFER holds an address for a minute, a REQUEST makes it a lease, and after a
 * DECLINE it is not given out for ten minutes.
 *
 * A machine gets its last address again, otherwise the first free one. The machine of a server gets the fixed address
 * of its server, which may be outside the range. Everything is in the store, so a restart loses nothing.
 */
import type { Lease, LeaseStore, Mac } from '../domain/boot.ts';
import { formatAddress, parseAddress } from '../domain/ip-address.ts';
import { createDeclineLimit } from './decline-limit.ts';
import { createTurns } from './turns.ts';

export interface AddressPool {
  /**
   * Offers and holds an address: `fixed`, the machine's last one, or `wanted` if possible. undefined: none is free.
   */
  offer(mac: Mac, wanted: string | undefined, fixed?: string): Promise<string | undefined>;
  /**
   * Leases or renews exactly this address. false: the machine may not have it. A machine with a `fixed` address may
   * renew another address that it already has, until it restarts.
   */
  lease(mac: Mac, address: string, fixed?: string): Promise<boolean>;
  /** Stores that the address is in use by another machine, unless it was not leased to this machine. */
  decline(mac: Mac, address: string): Promise<'declined' | 'not leased' | 'too often'>;
  /** Ends the lease, which stays in the store so that the machine gets the same address again. */
  release(mac: Mac, address: string): Promise<void>;
  usage(): Promise<PoolUsage>;
}

/** How many addresses of the range are in use. */
export interface PoolUsage {
  readonly addresses: number;
  /** Leased or offered. */
  readonly held: number;
  readonly declined: number;
}

export interface AddressPoolDeps {
  readonly leases: LeaseStore;
  readonly rangeStart: string;
  readonly rangeEnd: string;
  /** Addresses that are never given out: our own, the router's, DNS servers'. They may be outside the range. */
  readonly taken: readonly string[];
  /** Whether the address is reserved for a server. */
  readonly isReserved?: (address: string) => Promise<boolean>;
  readonly leaseMs: number;
  readonly now: () => Date;
}

/** A client sends its REQUEST seconds after the OFFER, or never if it chose another DHCP server. */
const OFFER_MS = 60_000;
const DECLINED_MS = 600_000;

/** Only for valid addresses. */
const numberOf = (address: string): bigint => parseAddress(address)!.value;

export function createAddressPool(deps: AddressPoolDeps): AddressPool {
  const { leases, now } = deps;
  const first = numberOf(deps.rangeStart);
  const last = numberOf(deps.rangeEnd);
  const taken = new Set(deps.taken);
  /**
   * Addresses that are being written to the store, so that machines that start at the same time try different ones.
   */
  const trying = new Map<string, Mac>();
  const declines = createDeclineLimit(now);

  const after = (ms: number): Date => new Date(now().getTime() + ms);
  const isBetween = (address: string): boolean => {
    const number = numberOf(address);
    return number >= first && number <= last;
  };
  const isInRange = (address: string): boolean => isBetween(address) && !taken.has(address);

  const declinedNow = async (): Promise<ReadonlySet<string>> =>
    new Set((await leases.declined(now())).map(({ address }) => address));
  const isReserved = async (address: string): Promise<boolean> => (await deps.isReserved?.(address)) ?? false;

  /**
   * Returns a test for addresses of the range that are not declined. Reservations for servers are checked one by one.
   */
  async function givable(): Promise<(address: string) => boolean> {
    const declined = await declinedNow();
    return (address) => isInRange(address) && !declined.has(address);
  }

  /**
   * Leases the fixed address of a server to its machine. An address outside of the range can only be leased to a
   * previous machine of the server, which loses it. An address in the range may have been leased to another machine
   * before it was reserved; that machine keeps it until its lease ends.
   */
  async function putFixed(mac: Mac, address: string, ms: number): Promise<boolean> {
    if ((await declinedNow()).has(address)) return false;
    const own = await leases.byMac(mac);
    const expiresAt = after(ms);
    if (own?.address === address && own.expiresAt > expiresAt) return true;
    if (await leases.put({ mac, address, expiresAt }, now())) return true;
    const holder = await leases.byAddress(address);
    if (isBetween(address) || holder === undefined) return false;
    await leases.release(holder.mac);
    return leases.put({ mac, address, expiresAt }, now());
  }

  /** Candidates in order: own address, wanted one, unused ones, expired leases. Machines may return to the last. */
  async function* candidates(own: Lease | undefined, wanted: string | undefined): AsyncGenerator<string> {
    if (own !== undefined) yield own.address;
    if (wanted !== undefined) yield wanted;
    const heldUntil = new Map((await leases.list()).map((lease) => [lease.address, lease.expiresAt]));
    for (let number = first; number <= last; number += 1n) {
      const address = formatAddress({ version: 4, value: number });
      if (!heldUntil.has(address)) yield address;
    }
    for (const [address, until] of heldUntil) if (until <= now()) yield address;
  }

  async function offer(mac: Mac, wanted: string | undefined, fixed?: string): Promise<string | undefined> {
    if (fixed !== undefined && (await putFixed(mac, fixed, OFFER_MS))) return fixed;
    const mayGive = await givable();
    const own = await leases.byMac(mac);
    for await (const address of candidates(own, wanted)) {
      if (!mayGive(address) || (trying.get(address) ?? mac) !== mac) continue;
      const held = after(OFFER_MS);
      // A machine that restarts keeps its lease.
      const keeps = own?.address === address && own.expiresAt > held;
      trying.set(address, mac);
      try {
        if (await isReserved(address)) continue;
        if (!keeps && !(await leases.put({ mac, address, expiresAt: held }, now()))) continue;
        // Checked again after the write: a reservation checks leases before it is stored, so one of the two notices
        // the other.
        if (!(await isReserved(address))) return address;
        await leases.release(mac);
      } finally {
        trying.delete(address);
      }
    }
    return undefined;
  }

  async function lease(mac: Mac, address: string, fixed?: string): Promise<boolean> {
    if (address === fixed) return putFixed(mac, address, deps.leaseMs);
    const mayGive = await givable();
    if (!mayGive(address) || (await isReserved(address))) return false;
    const own = await leases.byMac(mac);
    if (fixed !== undefined && own?.address !== address) return false;
    const hasOwn = own !== undefined && own.address !== address && mayGive(own.address);
    if (hasOwn && !(await isReserved(own.address))) return false;
    return leases.put({ mac, address, expiresAt: after(deps.leaseMs) }, now());
  }

  async function decline(mac: Mac, address: string) {
    if ((await leases.byMac(mac))?.address !== address) return 'not leased';
    if (!declines.allows(mac)) return 'too often';
    await leases.decline({ address, until: after(DECLINED_MS) }, now());
    return 'declined';
  }

  async function release(mac: Mac, address: string): Promise<void> {
    const own = await leases.byMac(mac);
    if (own?.address === address) await leases.put({ ...own, expiresAt: now() }, now());
  }

  // The same request may arrive twice, for example through a relay: it must not get two addresses.
  const inTurn = createTurns<Mac>();

  return {
    offer: (mac, wanted, fixed) => inTurn(mac, () => offer(mac, wanted, fixed)),
    lease: (mac, address, fixed) => inTurn(mac, () => lease(mac, address, fixed)),
    decline: (mac, address) => inTurn(mac, () => decline(mac, address)),
    release: (mac, address) => inTurn(mac, () => release(mac, address)),
    async usage() {
      const reserved = [...taken].filter(isBetween).length;
      const held = (await leases.list()).filter((one) => one.expiresAt > now() && isInRange(one.address));
      const declined = (await leases.declined(now())).filter(({ address }) => isInRange(address));
      return { addresses: Number(last - first) + 1 - reserved, held: held.length, declined: declined.length };
    },
  };
}
