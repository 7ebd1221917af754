/**
 * The addresses that the rules are about: those of this machine now, and those of BMCs in driver_info.
 */
import { networkInterfaces } from 'node:os';
import type { JsonObject } from '../domain/json.ts';

/** The addresses of all interfaces that are up. */
export const ownAddresses = (): string[] =>
  Object.values(networkInterfaces()).flatMap((interfaces = []) => interfaces.map(({ address }) => address));

/** Nodes are read again after this time. */
const MAX_AGE_MS = 5_000;

/** Hosts of all BMCs, as addresses and names, from the driver_info of every node. */
export function createBmcHosts(
  list: () => Promise<readonly { readonly driverInfo: JsonObject }[]>,
  now: () => Date,
): () => Promise<readonly string[]> {
  let known: { readonly atMs: number; readonly hosts: Promise<readonly string[]> } | undefined;
  const read = async (): Promise<readonly string[]> => {
    const nodes = await list();
    return [...new Set(nodes.flatMap(({ driverInfo }) => hostsIn(driverInfo)))];
  };
  return () => {
    const atMs = now().getTime();
    if (known === undefined || atMs - known.atMs >= MAX_AGE_MS || atMs < known.atMs) {
      const hosts = read();
      const fresh = { atMs, hosts };
      known = fresh;
      hosts.catch(() => {
        if (known === fresh) known = undefined;
      });
    }
    return known.hosts;
  };
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
