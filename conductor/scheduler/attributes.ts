/**
 * The values of a host that extra specs and queries can name: Nova's attributes of a host state, then its stats.
 */
import type { HostState } from './host-state.ts';

type Value = string | number;

const free = (host: HostState, amount: number): number => (host.unusable === undefined ? amount : 0);
const MB_PER_GB = 1024;

const ATTRIBUTES: ReadonlyMap<string, (host: HostState) => Value> = new Map(
  Object.entries({
    host: (host: HostState) => host.host,
    nodename: (host: HostState) => host.nodename,
    hypervisor_hostname: (host: HostState) => host.nodename,
    hypervisor_type: () => 'baremetal',
    hypervisor_version: (host: HostState) => host.hypervisorVersion,
    cpu_info: () => 'baremetal cpu',
    vcpus_total: (host: HostState) => host.vcpus,
    vcpus_used: (host: HostState) => host.vcpus - free(host, host.vcpus),
    total_usable_ram_mb: (host: HostState) => host.ramMb,
    free_ram_mb: (host: HostState) => free(host, host.ramMb),
    total_usable_disk_gb: (host: HostState) => host.diskMb / MB_PER_GB,
    free_disk_mb: (host: HostState) => free(host, host.diskMb),
    num_instances: (host: HostState) => (host.unusable === undefined ? 0 : 1),
    failed_builds: (host: HostState) => host.failedBuilds,
  }),
);

/** Undefined if the host does not have the attribute. */
export type Reader = (host: HostState) => Value | boolean | undefined;

/**
 * Reads the value at a path: an attribute or a key of the stats, with or without `stats` before it. The rest of the
 * path leads into a value that is JSON text.
 */
export function readerOf(path: readonly string[]): Reader {
  const [first = '', ...rest] = path;
  if (first === 'stats' && rest.length > 0) return readerOf(rest);
  const read: Reader = ATTRIBUTES.get(first) ?? ((host) => host.stats.get(first));
  if (rest.length === 0) return read;
  return (host) => {
    const value = read(host);
    return value === undefined ? undefined : within(String(value), rest);
  };
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
