/**
 * Addresses of the range: an OFFER holds one briefly, a REQUEST makes it a lease, a DECLINE takes it out for a time.
 *
 * A machine keeps the address it had; else it gets the first that nobody holds. A server's machine gets the address
 * that its server was promised, in the range or not. All of it is in the store, so that a restart forgets nothing.
 */
import type { Lease, LeaseStore, Mac } from '../domain/boot.ts';
import { toDotted, toNumber } from './ipv4.ts';

export interface AddressPool {
  /** An address held for this machine: `fixed`, its own or `wanted` if possible. undefined: none is left. */
  offer(mac: Mac, wanted: string | undefined, fixed?: string): Promise<string | undefined>;
  /**
   * Lends exactly this address, for the first time or again. false: it is not this machine's to have. With another one
   * that is `fixed` it keeps what it has until it starts anew.
   */
  lease(mac: Mac, address: string, fixed?: string): Promise<boolean>;
  /** The machine says that somebody else uses its address. false: it was not its address. */
  decline(mac: Mac, address: string): Promise<boolean>;
  /** Ends the lease. It stays known, so that the machine gets the same address again. */
  release(mac: Mac, address: string): Promise<void>;
  census(): Promise<Census>;
}

/** Where the addresses of the range are. */
export interface Census {
  readonly addresses: number;
  /** Leased or offered. */
  readonly held: number;
  readonly declined: number;
}

export interface AddressPoolDeps {
  readonly leases: LeaseStore;
  readonly rangeStart: string;
  readonly rangeEnd: string;
  /** In use by others, whether in the range or not: ourselves, the router, DNS servers. */
  readonly taken: readonly string[];
  /** Kept for servers. */
  readonly isPromised?: (address: string) => Promise<boolean>;
  readonly leaseSeconds: number;
  readonly now: () => Date;
}

/** From OFFER to REQUEST a client takes seconds; one that took another server's offer never comes. */
const OFFER_MS = 60_000;
const DECLINED_MS = 600_000;

export function createAddressPool(deps: AddressPoolDeps): AddressPool {
  const { leases, now } = deps;
  const first = toNumber(deps.rangeStart);
  const last = toNumber(deps.rangeEnd);
  const taken = new Set(deps.taken);
  /** Asked of the store right now: a rack that is switched on at once does not line up for the same address. */
  const trying = new Map<string, Mac>();

  const after = (ms: number): Date => new Date(now().getTime() + ms);
  const isBetween = (address: string): boolean => toNumber(address) >= first && toNumber(address) <= last;
  const isInRange = (address: string): boolean => isBetween(address) && !taken.has(address);

  const declinedNow = async (): Promise<ReadonlySet<string>> =>
    new Set((await leases.declined(now())).map(({ address }) => address));
  const isPromised = async (address: string): Promise<boolean> => (await deps.isPromised?.(address)) ?? false;

  /** What may be given as far as the range goes: not what is declined. What is promised is asked for one by one. */
  async function givable(): Promise<(address: string) => boolean> {
    const declined = await declinedNow();
    return (address) => isInRange(address) && !declined.has(address);
  }

  /**
   * Gives a server's machine its address. Outside the range nobody holds it but the machine that the server, or one
   * before it, was on; in the range a machine may have it that got it before it was promised, until its lease ends.
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

  /** Looks at the stored leases once. Machines come back: what was never used goes before what somebody had. */
  async function* candidates(own: Lease | undefined, wanted: string | undefined): AsyncGenerator<string> {
    if (own !== undefined) yield own.address;
    if (wanted !== undefined) yield wanted;
    const heldUntil = new Map((await leases.list()).map((lease) => [lease.address, lease.expiresAt]));
    for (let number = first; number <= last; number += 1) {
      const address = toDotted(number);
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
      // A machine that starts anew has its lease still.
      const keeps = own?.address === address && own.expiresAt > held;
      trying.set(address, mac);
      try {
        if (await isPromised(address)) continue;
        if (!keeps && !(await leases.put({ mac, address, expiresAt: held }, now()))) continue;
        // Whoever promises addresses looks at the leases first: one of both sees the other.
        if (!(await isPromised(address))) return address;
        await leases.release(mac);
      } finally {
        trying.delete(address);
      }
    }
    return undefined;
  }

  async function lease(mac: Mac, address: string, fixed?: string): Promise<boolean> {
    if (address === fixed) return putFixed(mac, address, deps.leaseSeconds * 1000);
    const mayGive = await givable();
    if (!mayGive(address) || (await isPromised(address))) return false;
    const own = await leases.byMac(mac);
    if (fixed !== undefined && own?.address !== address) return false;
    const hasOwn = own !== undefined && own.address !== address && mayGive(own.address);
    if (hasOwn && !(await isPromised(own.address))) return false;
    return leases.put({ mac, address, expiresAt: after(deps.leaseSeconds * 1000) }, now());
  }

  async function decline(mac: Mac, address: string): Promise<boolean> {
    if ((await leases.byMac(mac))?.address !== address) return false;
    await leases.decline({ address, until: after(DECLINED_MS) }, now());
    return true;
  }

  async function release(mac: Mac, address: string): Promise<void> {
    const own = await leases.byMac(mac);
    if (own?.address === address) await leases.put({ ...own, expiresAt: now() }, now());
  }

  /** The work under way for each MAC: the same request may arrive twice at once, by two cards or a relay. */
  const turns = new Map<Mac, Promise<unknown>>();

  /** One after the other for one MAC, so that a doubled request never gets two addresses. */
  async function inTurn<T>(mac: Mac, work: () => Promise<T>): Promise<T> {
    const before = turns.get(mac) ?? Promise.resolve();
    const mine = before.then(work, work);
    turns.set(mac, mine);
    try {
      return await mine;
    } finally {
      if (turns.get(mac) === mine) turns.delete(mac);
    }
  }

  return {
    offer: (mac, wanted, fixed) => inTurn(mac, () => offer(mac, wanted, fixed)),
    lease: (mac, address, fixed) => inTurn(mac, () => lease(mac, address, fixed)),
    decline: (mac, address) => inTurn(mac, () => decline(mac, address)),
    release: (mac, address) => inTurn(mac, () => release(mac, address)),
    async census() {
      const reserved = [...taken].filter(isBetween).length;
      const held = (await leases.list()).filter((one) => one.expiresAt > now() && isInRange(one.address));
      const declined = (await leases.declined(now())).filter(({ address }) => isInRange(address));
      return { addresses: last - first + 1 - reserved, held: held.length, declined: declined.length };
    },
  };
}
