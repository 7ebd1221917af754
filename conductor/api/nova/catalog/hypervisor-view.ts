/**
 * Nodes as hypervisors: each has room for one instance, which uses all of it.
 */
import type { ComputeService } from '../../../domain/compute.ts';
import type { JsonObject } from '../../../domain/json.ts';
import type { Node } from '../../../domain/node.ts';
import { machineUsage } from '../../../servers/places/host-usage.ts';

export type Hypervisor = Pick<Node, 'id' | 'uuid' | 'name' | 'instanceUuid' | 'properties'>;
export const HYPERVISOR_FIELDS = ['id', 'uuid', 'name', 'instanceUuid', 'properties'] as const;

/** First microversions of these features. */
export const BY_UUID = 53;
const CPU_INFO_IS_OBJECT = 28;
const ALWAYS_SERVERS = 75;
/** From this microversion on, Placement shows sizes instead. */
export const NO_SIZES = 88;

export interface HostedServer {
  readonly uuid: string;
  readonly name: string;
}

export interface HypervisorView {
  readonly minor: number;
  readonly isDetailed: boolean;
  /** The service that has the machines; undefined if it never reported. */
  readonly service: ComputeService | undefined;
  readonly isServiceUp: boolean;
  readonly host: string;
  /** Undefined when they were not requested. */
  readonly servers: readonly HostedServer[] | undefined;
}

export function hypervisorView(node: Hypervisor, view: HypervisorView): JsonObject {
  const { minor, service, servers } = view;
  const isListed = servers !== undefined && (servers.length > 0 || minor >= ALWAYS_SERVERS);
  return {
    id: minor >= BY_UUID ? node.uuid : node.id,
    hypervisor_hostname: node.uuid,
    state: view.isServiceUp ? 'up' : 'down',
    status: service?.isDisabled === false ? 'enabled' : 'disabled',
    ...(view.isDetailed ? details(node, view) : {}),
    ...(isListed ? { servers: servers.map(({ name, uuid }) => ({ name, uuid })) } : {}),
  };
}

function details(node: Hypervisor, { minor, service, host }: HypervisorView): JsonObject {
  return {
    hypervisor_type: 'ironic',
    hypervisor_version: 1,
    // machines have no address of their own that the API could speak of
    host_ip: null,
    service: {
      id: (minor >= BY_UUID ? service?.uuid : service?.id) ?? null,
      host,
      disabled_reason: service?.disabledReason ?? null,
    },
    ...(minor < NO_SIZES ? sizes(node, minor) : { uptime: null }),
  };
}

function sizes(node: Hypervisor, minor: number): JsonObject {
  const cpuInfo = { arch: String(node.properties['cpu_arch'] ?? '') };
  return { ...usageOf(node), cpu_info: minor >= CPU_INFO_IS_OBJECT ? cpuInfo : JSON.stringify(cpuInfo) };
}

export const USAGE_KEYS = [
  'vcpus',
  'memory_mb',
  'local_gb',
  'vcpus_used',
  'memory_mb_used',
  'local_gb_used',
  'free_ram_mb',
  'free_disk_gb',
  'disk_available_least',
  'current_workload',
  'running_vms',
] as const;

export function usageOf(node: Hypervisor): Readonly<Record<(typeof USAGE_KEYS)[number], number>> {
  const { total, used, free } = machineUsage(node);
  return {
    vcpus: total.vcpus,
    memory_mb: total.ramMb,
    local_gb: total.diskGb,
    vcpus_used: used.vcpus,
    memory_mb_used: used.ramMb,
    local_gb_used: used.diskGb,
    free_ram_mb: free.ramMb,
    free_disk_gb: free.diskGb,
    disk_available_least: free.diskGb,
    current_workload: 0,
    running_vms: node.instanceUuid === null ? 0 : 1,
  };
}
