/**
 * The hosts of all BMCs, from the driver_info of every node: as given, and the addresses of those given by name.
 */
import { Resolver } from 'node:dns/promises';
import { isIP } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { JsonObject } from '../domain/json.ts';

/** Nodes are read again after this time. */
const NODES_AGE_MS = 5_000;
/** Names are looked up again after this time. */
const NAMES_AGE_MS = 60_000;
/** A request does not wait longer than this for name servers. */
const LOOKUP_LIMIT_MS = 2_000;
/** Look-ups at the same time. */
const MAX_LOOKUPS = 64;

export interface BmcHostsDeps {
  readonly list: () => Promise<readonly { readonly driverInfo: JsonObject }[]>;
  /** The addresses of a name; none if it cannot be resolved. */
  readonly resolve: (name: string) => Promise<readonly string[]>;
  readonly now: () => Date;
}

/** Addresses and names, as texts. */
export function createBmcHosts({ list, resolve, now }: BmcHostsDeps): () => Promise<readonly string[]> {
  const addresses = createAddressBook(resolve, now);
  let known: { readonly atMs: number; readonly hosts: Promise<readonly string[]> } | undefined;

  async function read(): Promise<readonly string[]> {
    const nodes = await list();
    const hosts = [...new Set(nodes.flatMap(({ driverInfo }) => hostsIn(driverInfo)))];
    const names = hosts.filter((host) => isIP(host) === 0);
    return names.length === 0 ? hosts : [...hosts, ...(await addresses(names))];
  }

  return () => {
    const atMs = now().getTime();
    if (known === undefined || atMs - known.atMs >= NODES_AGE_MS || atMs < known.atMs) {
      const fresh = { atMs, hosts: read() };
      known = fresh;
      fresh.hosts.catch(() => {
        if (known === fresh) known = undefined;
      });
    }
    return known.hosts;
  };
}

/** Addresses of names. A name server that does not answer leaves a name with the addresses that it had. */
function createAddressBook(resolve: BmcHostsDeps['resolve'], now: () => Date) {
  const book = new Map<string, { readonly atMs: number; readonly addresses: readonly string[] }>();
  const running = new Map<string, Promise<void>>();

  async function lookUp(name: string): Promise<void> {
    const found = await resolve(name);
    const addresses = found.length > 0 ? found : (book.get(name)?.addresses ?? []);
    book.set(name, { atMs: now().getTime(), addresses });
    running.delete(name);
  }

  return async (names: readonly string[]): Promise<string[]> => {
    const atMs = now().getTime();
    const wanted = new Set(names);
    for (const name of book.keys()) if (!wanted.has(name)) book.delete(name);
    const due = names.filter((name) => atMs - (book.get(name)?.atMs ?? 0) >= NAMES_AGE_MS);
    for (const name of due) {
      if (running.size >= MAX_LOOKUPS) break;
      if (!running.has(name)) running.set(name, lookUp(name));
    }
    if (running.size > 0)
      await Promise.race([Promise.all(running.values()), sleep(LOOKUP_LIMIT_MS, undefined, { ref: false })]);
    return names.flatMap((name) => book.get(name)?.addresses ?? []);
  };
}

/** Asks the name servers of the system. */
export async function resolveName(name: string): Promise<readonly string[]> {
  const resolver = new Resolver({ timeout: LOOKUP_LIMIT_MS, tries: 1 });
  const found = await Promise.allSettled([resolver.resolve4(name), resolver.resolve6(name)]);
  return found.flatMap((part) => (part.status === 'fulfilled' ? part.value : []));
}

/** `ipmi_address`, `redfish_address`, `ilo_address` and the like; not the conductor's side, nor addresses on an IPMB. */
const ADDRESS_KEY = /^(?!ipmi_(?:local|transit|target)_).*_address$/;

/** Hosts of BMCs, which may be given as URLs. */
export function hostsIn(driverInfo: JsonObject): string[] {
  return Object.entries(driverInfo).flatMap(([key, value]) => {
    if (!ADDRESS_KEY.test(key) || typeof value !== 'string' || value === '') return [];
    const url = value.includes('://') ? URL.parse(value) : null;
    return [(url?.hostname ?? value).replace(/^\[|\]$/g, '')];
  });
}
