/**
 * The resources of the machines of a host, and how much is used. A server uses a whole machine, whatever its flavor
 * is. Pure.
 */
import type { Server } from '../../domain/compute.ts';
import type { Node } from '../../domain/node.ts';
import { type Size, sizeOfMachine } from '../../scheduler/machine-size.ts';

const NOTHING: Size = { vcpus: 0, ramMb: 0, diskGb: 0 };

export interface MachineUsage {
  readonly total: Size;
  readonly used: Size;
  readonly free: Size;
}

/** In whole units. */
export function machineUsage(machine: Pick<Node, 'properties' | 'instanceUuid'>): MachineUsage {
  const { vcpus, ramMb, diskGb } = sizeOfMachine(machine);
  const total = { vcpus: Math.floor(vcpus), ramMb: Math.floor(ramMb), diskGb: Math.floor(diskGb) };
  return machine.instanceUuid === null
    ? { total, used: NOTHING, free: total }
    : { total, used: total, free: NOTHING };
}

export interface HostUsage {
  /** Sum of all machines. */
  readonly total: Size;
  /** Sum of the machines in use. */
  readonly used: Size;
  /** Sum of the flavors of the servers. */
  readonly requested: Size;
  readonly requestedByProject: ReadonlyMap<string, Size>;
}

/** @param servers of this host; deleted ones are not counted */
export function hostUsage(
  machines: readonly Pick<Node, 'properties' | 'instanceUuid'>[],
  servers: readonly Pick<Server, 'vmState' | 'projectId' | 'flavor'>[],
): HostUsage {
  const usages = machines.map(machineUsage);
  const existing = servers.filter(({ vmState }) => vmState !== 'deleted');
  const byProject = Map.groupBy(existing, ({ projectId }) => projectId);
  return {
    total: sumOf(usages.map(({ total }) => total)),
    used: sumOf(usages.map(({ used }) => used)),
    requested: sumOf(existing.map(requestedBy)),
    requestedByProject: new Map(
      [...byProject].map(([project, its]) => [project, sumOf(its.map(requestedBy))]),
    ),
  };
}

const requestedBy = ({ flavor }: Pick<Server, 'flavor'>): Size => ({
  vcpus: flavor.vcpus,
  ramMb: flavor.ramMb,
  diskGb: flavor.rootGb + flavor.ephemeralGb,
});

const sumOf = (sizes: readonly Size[]): Size =>
  sizes.reduce(
    (sum, { vcpus, ramMb, diskGb }) => ({
      vcpus: sum.vcpus + vcpus,
      ramMb: sum.ramMb + ramMb,
      diskGb: sum.diskGb + diskGb,
    }),
    NOTHING,
  );
