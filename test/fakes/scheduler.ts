/**
 * Host states and requests for tests of the scheduler: default ones, with the changes that a test specifies.
 */
import type { HostState } from '../../conductor/scheduler/host-state.ts';
import {
  type InstanceRequest,
  parseRequest,
  type RequestFlavor,
  type RequestSpec,
} from '../../conductor/scheduler/request-spec.ts';

/** A free machine of 8 processors, 16 GB of memory and 100 GB of disk. */
export function hostState(changes: Partial<HostState> = {}): HostState {
  const nodename = changes.nodename ?? 'node-1';
  return {
    host: 'compute-1',
    nodename,
    name: null,
    domain: nodename,
    unusable: undefined,
    serviceDown: undefined,
    availabilityZone: 'nova',
    aggregateMetadata: new Map(),
    vcpus: 8,
    ramMb: 16_384,
    diskMb: 102_400,
    resources: new Map([['CUSTOM_GOLD', 1]]),
    traits: new Set(),
    stats: new Map([['cpu_arch', 'x86_64']]),
    supportedInstances: [{ architecture: 'x86_64', hypervisorType: 'baremetal', vmMode: 'hvm' }],
    hypervisorVersion: '1',
    instances: new Set(),
    failedBuilds: 0,
    cachedImages: new Set(),
    lastUsedAtMs: 0,
    ...changes,
  };
}

export type RequestChanges = Omit<Partial<InstanceRequest>, 'flavor'> & {
  readonly flavor?: Partial<RequestFlavor>;
};

/** One instance of a small flavor. */
export function instanceRequest({ flavor, ...changes }: RequestChanges = {}): InstanceRequest {
  const small = {
    vcpus: 1,
    ramMb: 1_024,
    rootGb: 10,
    ephemeralGb: 0,
    swapMb: 0,
    extraSpecs: {},
  };
  return { instanceUuids: ['instance-1'], flavor: { ...small, ...flavor }, ...changes };
}

export function requestSpec(changes: RequestChanges = {}): RequestSpec {
  const parsed = parseRequest(instanceRequest(changes));
  if (!parsed.ok) throw new Error(parsed.reason);
  return parsed.value;
}
