/**
 * The names by which extra specs and queries ask for a host: Nova's attributes of a host state, then its stats.
 */
import type { HostState } from './host-state.ts';

type Value = string | number;

const free = (host: HostState, amount: number): number => (host.unusable === undefined ? amount : 0);
const MB_PER_GB = 1024;

const ATTRIBUTES: Readonly<Record<string, (host: HostState) => Value>> = {
  host: (host) => host.host,
  nodename: (host) => host.nodename,
  hypervisor_hostname: (host) => host.nodename,
  hypervisor_type: () => 'baremetal',
  hypervisor_version: (host) => host.hypervisorVersion,
  cpu_info: () => 'baremetal cpu',
  vcpus_total: (host) => host.vcpus,
  vcpus_used: (host) => host.vcpus - free(host, host.vcpus),
  total_usable_ram_mb: (host) => host.ramMb,
  free_ram_mb: (host) => free(host, host.ramMb),
  total_usable_disk_gb: (host) => host.diskMb / MB_PER_GB,
  free_disk_mb: (host) => free(host, host.diskMb),
  num_instances: (host) => (host.unusable === undefined ? 0 : 1),
  failed_builds: (host) => host.failedBuilds,
};

/**
 * What the path names: an attribute or one of the stats; a longer path goes on into stats that are JSON text, or,
 * after `stats`, names one of them. Undefined if there is no such thing.
 */
export function attributeOf(host: HostState, path: readonly string[]): Value | boolean | undefined {
  const [first = '', ...rest] = path;
  if (first === 'stats' && rest.length > 0) return attributeOf(host, rest);
  const value = Object.hasOwn(ATTRIBUTES, first) ? ATTRIBUTES[first]!(host) : host.stats.get(first);
  return rest.length === 0 || value === undefined ? value : within(String(value), rest);
}

function within(text: string, path: readonly string[]): Value | boolean | undefined {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return undefined;
  }
  for (const key of path) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, key)) return undefined;
    value = (value as Record<string, unknown>)[key];
  }
  if (typeof value === 'object' && value !== null) return JSON.stringify(value);
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean'
    ? value
    : undefined;
}
