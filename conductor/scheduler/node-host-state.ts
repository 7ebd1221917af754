/**
 * Makes host states from stored nodes, for both of Nova's models: sizes from the node's properties, and one unit of
 * the node's resource class.
 */
import { parseCapabilityText } from '../domain/capabilities.ts';
import { type Aggregate, ZONE_KEY } from '../domain/compute.ts';
import type { Node } from '../domain/node.ts';
import { canonicalArchitecture } from './architecture.ts';
import type { HostState } from './host-state.ts';
import { sizeOfMachine } from './machine-size.ts';
import { type ServiceState, whyRefusing } from './service-state.ts';

type SchedulableAggregate = Pick<Aggregate, 'hosts' | 'metadata'>;

export const SCHEDULABLE_FIELDS = [
  'uuid',
  'name',
  'instanceUuid',
  'maintenance',
  'provisionState',
  'powerState',
  'properties',
  'resourceClass',
  'traits',
  'provisionUpdatedAt',
  'createdAt',
] as const satisfies readonly (keyof Node)[];

/** The fields of a node that the scheduler reads. */
export type SchedulableNode = Pick<Node, (typeof SCHEDULABLE_FIELDS)[number]>;

/** Data about nodes that is not stored in the nodes. */
export interface Surroundings {
  readonly now: Date;
  /** The compute service that manages this node; undefined if there is none. */
  readonly serviceOf: (node: SchedulableNode) => ServiceState | undefined;
  readonly serviceDownMs: number;
  readonly aggregates: readonly SchedulableAggregate[];
  readonly defaultAvailabilityZone: string;
  /** The capability that names the failure domain, such as `rack`; null: every machine is its own domain. */
  readonly domainCapability: string | null;
  /** Node UUID -> number of failed builds since the last successful one. */
  readonly failedBuilds: ReadonlyMap<string, number>;
  readonly cachedImages: ReadonlySet<string>;
}

const MB_PER_GB = 1024;
/** The version that Nova's ironic driver reports. */
const HYPERVISOR_VERSION = '1';

/** One host state per node. */
export function hostStatesOf(nodes: readonly SchedulableNode[], around: Surroundings): HostState[] {
  const aggregatesOf = aggregatesByHost(around.aggregates);
  const domains = nodes.map((node) => domainOf(node, around.domainCapability));
  const instances = new Map<string, Set<string>>();
  for (const [index, { instanceUuid }] of nodes.entries()) {
    if (instanceUuid === null) continue;
    const domain = domains[index]!;
    instances.set(domain, (instances.get(domain) ?? new Set()).add(instanceUuid));
  }
  // hosts of one architecture share a list: filters read it for host after host
  const supported = new Map<string, HostState['supportedInstances']>();
  const supportedOn = (architecture: string) => {
    const known = supported.get(architecture) ?? [
      { architecture: canonicalArchitecture(architecture), hypervisorType: 'baremetal', vmMode: 'hvm' },
    ];
    supported.set(architecture, known);
    return known;
  };
  return nodes.map((node, index) => {
    const service = around.serviceOf(node);
    const keys = [service?.host, node.uuid, node.name].filter((key) => typeof key === 'string');
    const aggregates = [...new Set(keys.flatMap((key) => aggregatesOf.get(key) ?? []))];
    const metadata = metadataOf(aggregates);
    const domain = domains[index]!;
    return {
      host: service?.host ?? '',
      nodename: node.uuid,
      name: node.name,
      domain,
      unusable: unusable(node),
      serviceDown:
        service === undefined
          ? 'no compute service has it'
          : whyRefusing(service, around.now, around.serviceDownMs),
      availabilityZone: metadata.get(ZONE_KEY)?.[0] ?? around.defaultAvailabilityZone,
      aggregateMetadata: metadata,
      ...sizes(node),
      ...machine(node, supportedOn),
      instances: instances.get(domain) ?? new Set(),
      failedBuilds: around.failedBuilds.get(node.uuid) ?? 0,
      cachedImages: around.cachedImages,
      lastUsedAtMs: (node.provisionUpdatedAt ?? node.createdAt).getTime(),
    };
  });
}

/** Nova's rule for names of custom resource classes: `gpu.large` is CUSTOM_GPU_LARGE. */
export function customResourceClass(name: string): string {
  return `CUSTOM_${name.toUpperCase().replace(/[^A-Z0-9]/g, '_')}`;
}

function unusable(node: SchedulableNode): string | undefined {
  if (node.instanceUuid !== null) return `in use by instance ${node.instanceUuid}`;
  if (node.maintenance) return 'in maintenance';
  if (node.provisionState !== 'available') return `in state ${node.provisionState}`;
  if (node.powerState === null) return 'its power state is unknown';
  return node.powerState === 'error' ? 'its power state is error' : undefined;
}

function sizes(node: SchedulableNode): Pick<HostState, 'vcpus' | 'ramMb' | 'diskMb' | 'resources'> {
  const { vcpus, ramMb, diskGb } = sizeOfMachine(node);
  const resources = new Map([
    ['VCPU', vcpus],
    ['MEMORY_MB', ramMb],
    ['DISK_GB', diskGb],
  ]);
  if (node.resourceClass !== null) resources.set(customResourceClass(node.resourceClass), 1);
  return { vcpus, ramMb, diskMb: diskGb * MB_PER_GB, resources };
}

function machine(
  node: SchedulableNode,
  supportedOn: (architecture: string) => HostState['supportedInstances'],
): Pick<HostState, 'traits' | 'stats' | 'supportedInstances' | 'hypervisorVersion'> {
  const stats = parseCapabilityText(node.properties['capabilities']);
  const architecture = node.properties['cpu_arch'];
  const isKnown = typeof architecture === 'string' && architecture !== '';
  if (isKnown) stats.set('cpu_arch', architecture);
  return {
    traits: new Set(node.traits),
    stats,
    supportedInstances: isKnown ? supportedOn(architecture) : [],
    hypervisorVersion: HYPERVISOR_VERSION,
  };
}

function domainOf(node: SchedulableNode, capability: string | null): string {
  if (capability === null) return node.uuid;
  return parseCapabilityText(node.properties['capabilities']).get(capability) ?? node.uuid;
}

function aggregatesByHost(aggregates: readonly SchedulableAggregate[]): Map<string, SchedulableAggregate[]> {
  const byHost = new Map<string, SchedulableAggregate[]>();
  for (const aggregate of aggregates) {
    for (const host of aggregate.hosts) byHost.set(host, [...(byHost.get(host) ?? []), aggregate]);
  }
  return byHost;
}

/** As in Nova, a metadata value may be a comma-separated list. */
function metadataOf(aggregates: readonly SchedulableAggregate[]): Map<string, string[]> {
  const metadata = new Map<string, string[]>();
  for (const [key, text] of aggregates.flatMap((aggregate) => Object.entries(aggregate.metadata))) {
    const values = text.split(',').map((value) => value.trim());
    metadata.set(key, [...new Set([...(metadata.get(key) ?? []), ...values])]);
  }
  return metadata;
}
