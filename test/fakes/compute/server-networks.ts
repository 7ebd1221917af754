/**
 * A network service without networks: it records which server is on which node, and fails when a test says so.
 */

import { IngotError } from '@ingot/conductor/domain/errors.ts';
import type { ServerNetworks } from '@ingot/conductor/network-service/server-networks.ts';

export interface FakeServerNetworks extends ServerNetworks {
  /** Server UUID -> node UUID. */
  readonly bound: ReadonlyMap<string, string>;
  readonly allocated: ReadonlySet<string>;
  /** Nodes without enough ports. */
  readonly portless: Set<string>;
  /** Error text for requests for addresses. */
  outOfAddresses: string | undefined;
}

export function fakeServerNetworks(): FakeServerNetworks {
  const bound = new Map<string, string>();
  const allocated = new Set<string>();
  const portless = new Set<string>();
  const fake: FakeServerNetworks = {
    bound,
    allocated,
    portless,
    outOfAddresses: undefined,
    check: async () => undefined,
    async allocate({ uuid }) {
      if (fake.outOfAddresses !== undefined) throw new IngotError('conflict', fake.outOfAddresses);
      allocated.add(uuid);
      return [];
    },
    async bind({ uuid }, nodeUuid) {
      if (portless.has(nodeUuid)) throw new IngotError('conflict', `Node ${nodeUuid} has too few ports.`);
      bound.set(uuid, nodeUuid);
      return [];
    },
    async unbind({ uuid }) {
      bound.delete(uuid);
    },
    async release({ uuid }) {
      bound.delete(uuid);
      allocated.delete(uuid);
    },
    async attach() {
      throw new IngotError('unsupported', 'the fake networks attach nothing');
    },
    detach: async () => undefined,
    addressesOf: async () => [],
    addressesOfAll: async () => new Map(),
    networkDataOf: () => ({ links: [], networks: [], services: [] }),
  };
  return fake;
}
