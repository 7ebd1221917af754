/**
 * Addresses of the range: a machine keeps the one it had; else the first that nobody holds.
 */
import type { LeaseStore, Mac } from '../domain/boot.ts';

export interface AddressPool {
  /** Stored before it is given. undefined: none is left. */
  lease(mac: Mac, wanted: string | undefined): Promise<string | undefined>;
  /** Somebody else uses this address: leave it alone for a time. */
  putAside(address: string): void;
}

export interface AddressPoolDeps {
  readonly leases: LeaseStore;
  readonly rangeStart: string;
  readonly rangeEnd: string;
  /** In use by others, whether in the range or not: ourselves, the router, DNS servers. */
  readonly taken: readonly string[];
  readonly leaseSeconds: number;
  readonly now: () => Date;
}

const ASIDE_MS = 600_000;

export const toNumber = (dotted: string): number =>
  dotted.split('.').reduce((sum, part) => sum * 256 + Number(part), 0);
export const toDotted = (number: number): string =>
  [24, 16, 8, 0].map((shift) => Math.floor(number / 2 ** shift) % 256).join('.');
export const sameNetwork = (a: string, b: string, netmask: string): boolean =>
  ((toNumber(a) ^ toNumber(b)) & toNumber(netmask)) === 0;
export const broadcastOf = (address: string, netmask: string): string =>
  toDotted((toNumber(address) | ~toNumber(netmask)) >>> 0);

export function createAddressPool(deps: AddressPoolDeps): AddressPool {
  const first = toNumber(deps.rangeStart);
  const last = toNumber(deps.rangeEnd);
  const taken = new Set(deps.taken);
  const asideUntil = new Map<string, number>();
  /** Asked of the store right now: a rack that is switched on at once does not line up for the same address. */
  const trying = new Map<string, Mac>();

  const usable = (address: string): boolean => {
    const number = toNumber(address);
    if (number < first || number > last || taken.has(address)) return false;
    return (asideUntil.get(address) ?? 0) <= deps.now().getTime();
  };

  /** Looks at the stored leases once, then takes the first free address the store grants. */
  async function* candidates(mac: Mac, wanted: string | undefined): AsyncGenerator<string> {
    const own = await deps.leases.byMac(mac);
    if (own !== undefined) yield own.address;
    if (wanted !== undefined) yield wanted;
    const held = new Map((await deps.leases.list()).map((lease) => [lease.address, lease.expiresAt]));
    const expired: string[] = [];
    for (let number = first; number <= last; number += 1) {
      const address = toDotted(number);
      const until = held.get(address);
      if (until === undefined) yield address;
      else if (until <= deps.now()) expired.push(address);
    }
    // Machines come back: what was never used goes before what somebody had.
    yield* expired;
  }

  /** The lease being made for each MAC: the same request may arrive twice at once, by two cards or a relay. */
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

  async function lease(mac: Mac, wanted: string | undefined): Promise<string | undefined> {
    for await (const address of candidates(mac, wanted)) {
      if (!usable(address) || (trying.get(address) ?? mac) !== mac) continue;
      const expiresAt = new Date(deps.now().getTime() + deps.leaseSeconds * 1000);
      trying.set(address, mac);
      try {
        if (await deps.leases.put({ mac, address, expiresAt }, deps.now())) return address;
      } finally {
        trying.delete(address);
      }
    }
    return undefined;
  }

  return {
    lease: (mac, wanted) => inTurn(mac, () => lease(mac, wanted)),
    putAside(address) {
      asideUntil.set(address, deps.now().getTime() + ASIDE_MS);
    },
  };
}
