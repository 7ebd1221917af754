/**
 * A machine as the scheduler sees it. A machine is taken whole: it is usable with all that it has, or it is not.
 */
export interface HostState {
  /** The compute service that would build there. */
  readonly host: string;
  /** UUID of the node. */
  readonly nodename: string;
  readonly name: string | null;
  /**
   * What affinity and "same host" are about. In Nova that is the compute service, which says nothing where one
   * service has all machines: here it is the rack or whatever fails together, else the machine itself.
   */
  readonly domain: string;
  /** Why no instance can be put there now: in use, in maintenance, not available. */
  readonly unusable: string | undefined;
  /** Why its compute service takes no work: disabled, or not heard of. */
  readonly serviceDown: string | undefined;
  readonly availabilityZone: string;
  /** Key -> values, over all aggregates that the machine is in. */
  readonly aggregateMetadata: ReadonlyMap<string, readonly string[]>;

  readonly vcpus: number;
  readonly ramMb: number;
  readonly diskMb: number;
  /** Resource class -> amount: what `resources:` asks for. */
  readonly resources: ReadonlyMap<string, number>;
  readonly traits: ReadonlySet<string>;
  /** Capabilities and cpu_arch. */
  readonly stats: ReadonlyMap<string, string>;
  readonly supportedInstances: readonly SupportedInstance[];
  readonly hypervisorVersion: string;

  /** UUIDs of the instances in its failure domain. */
  readonly instances: ReadonlySet<string>;
  /** Builds that failed there since the last that did not. */
  readonly failedBuilds: number;
  /** Ids of images that need not be fetched first. */
  readonly cachedImages: ReadonlySet<string>;
  readonly lastUsedAtMs: number;
}

export interface SupportedInstance {
  readonly architecture: string;
  readonly hypervisorType: string;
  readonly vmMode: string;
}

/** The host after an instance of the request has got it. */
export function consume(host: HostState, instanceUuid: string): HostState {
  return { ...host, unusable: `taken by instance ${instanceUuid} of this request` };
}

/** `rack1-07 (6d1f...)`, or the UUID alone. */
export function nameOf(host: HostState): string {
  return host.name === null ? host.nodename : `${host.name} (${host.nodename})`;
}
