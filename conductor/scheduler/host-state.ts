/**
 * The scheduler's view of a machine. An instance always gets a whole machine, so a machine is either completely free or
 * not usable.
 */
export interface HostState {
  /** The compute service that manages the machine. */
  readonly host: string;
  /** UUID of the node. */
  readonly nodename: string;
  readonly name: string | null;
  /**
   * The failure domain, which affinity and "same host" compare: the rack or another group of machines that fail
   * together, else the machine itself. Nova compares the compute service, which is useless if one service has all
   * machines.
   */
  readonly domain: string;
  /** Reason why no instance can be placed there now: in use, in maintenance, not available. */
  readonly unusable: string | undefined;
  /** Reason why its compute service accepts no work: it is disabled or has not reported. */
  readonly serviceDown: string | undefined;
  readonly availabilityZone: string;
  /** Key -> values, from all aggregates that the machine is in. */
  readonly aggregateMetadata: ReadonlyMap<string, readonly string[]>;

  readonly vcpus: number;
  readonly ramMb: number;
  readonly diskMb: number;
  /** Resource class -> amount, compared with `resources:`. */
  readonly resources: ReadonlyMap<string, number>;
  readonly traits: ReadonlySet<string>;
  /** Capabilities and cpu_arch. */
  readonly stats: ReadonlyMap<string, string>;
  readonly supportedInstances: readonly SupportedInstance[];
  readonly hypervisorVersion: string;

  /** UUIDs of the instances in its failure domain. */
  readonly instances: ReadonlySet<string>;
  /** Number of failed builds since the last successful one. */
  readonly failedBuilds: number;
  /** Ids of images that are already in the image cache. */
  readonly cachedImages: ReadonlySet<string>;
  readonly lastUsedAtMs: number;
}

export interface SupportedInstance {
  readonly architecture: string;
  readonly hypervisorType: string;
  readonly vmMode: string;
}

/** The state of the host after the instance has been placed on it. */
export function consume(host: HostState, instanceUuid: string): HostState {
  return { ...host, unusable: `taken by instance ${instanceUuid} of this request` };
}

/** `rack1-07 (6d1f...)`, or the UUID alone. */
export function nameOf(host: HostState): string {
  return host.name === null ? host.nodename : `${host.name} (${host.nodename})`;
}
