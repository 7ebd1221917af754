/**
 * Fakes in memory of the interfaces that netboot uses: decisions by MAC address, leases, and a recorded trace.
 */
import type {
  BootDecision,
  BootDirectory,
  BootSighting,
  BootTrace,
  DeclinedAddress,
  Lease,
  LeaseStore,
  Mac,
} from '@ingot/conductor/domain/boot.ts';

export interface BootFakes {
  readonly directory: BootDirectory;
  readonly leases: LeaseStore;
  readonly trace: BootTrace;
  readonly decisions: Map<string, BootDecision>;
  readonly sightings: BootSighting[];
  /** Kinds of the sightings, in order. */
  seen(): string[];
}

export function createBootFakes(decisions: Readonly<Record<string, BootDecision>>): BootFakes {
  const known = new Map(Object.entries(decisions));
  const leases = new Map<Mac, Lease>();
  const declined = new Map<string, DeclinedAddress>();
  const sightings: BootSighting[] = [];
  const holder = (address: string): Lease | undefined =>
    [...leases.values()].find((lease) => lease.address === address);
  return {
    decisions: known,
    sightings,
    seen: () => sightings.map(({ kind }) => kind),
    directory: {
      decide: async ({ mac }) => known.get(mac) ?? { kind: 'unknown' },
      decideScript: async ({ mac }) => known.get(mac) ?? { kind: 'unknown' },
    },
    trace: { record: (sighting) => void sightings.push(sighting) },
    leases: {
      byMac: async (mac) => leases.get(mac),
      byAddress: async (address) => holder(address),
      async put(lease, now) {
        const other = holder(lease.address);
        if (other !== undefined && other.mac !== lease.mac) {
          if (other.expiresAt > now) return false;
          leases.delete(other.mac);
        }
        leases.set(lease.mac, lease);
        return true;
      },
      release: async (mac) => void leases.delete(mac),
      list: async () => [...leases.values()],
      async decline(one) {
        const held = holder(one.address);
        if (held !== undefined) leases.delete(held.mac);
        declined.set(one.address, one);
      },
      declined: async (now) => [...declined.values()].filter(({ until }) => until > now),
    },
  };
}
