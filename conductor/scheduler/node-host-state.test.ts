import { describe, expect, it } from 'vitest';
import type { Node } from '../domain/node.ts';
import { customResourceClass, hostStatesOf, type Surroundings } from './node-host-state.ts';
import type { ServiceState } from './service-state.ts';

const NOW = new Date('2026-01-02T03:04:05Z');
const before = (seconds: number) => new Date(NOW.getTime() - seconds * 1_000);

/** A free node; of a node's fields those that matter here. */
const node = (changes: Partial<Node> = {}): Node =>
  ({
    uuid: 'node-1',
    name: null,
    instanceUuid: null,
    properties: {
      cpus: 4,
      memory_mb: '8192',
      local_gb: 100,
      cpu_arch: 'amd64',
      capabilities: 'boot_mode:uefi,rack:r1',
    },
    resourceClass: 'gpu.large',
    traits: ['CUSTOM_A'],
    provisionState: 'available',
    powerState: 'power off',
    maintenance: false,
    provisionUpdatedAt: before(100),
    createdAt: before(200),
    ...changes,
  }) as Node;

const service = (changes: Partial<ServiceState> = {}): ServiceState => ({
  host: 'compute-1',
  isDisabled: false,
  disabledReason: null,
  forcedDown: false,
  reportedAt: before(10),
  ...changes,
});

const around = (changes: Partial<Surroundings> = {}): Surroundings => ({
  now: NOW,
  serviceOf: () => service(),
  serviceDownMs: 60_000,
  aggregates: [],
  defaultAvailabilityZone: 'nova',
  domainCapability: null,
  failedBuilds: new Map(),
  cachedImages: new Set(),
  ...changes,
});

const stateOf = (changes: Partial<Node> = {}, surroundings: Partial<Surroundings> = {}) =>
  hostStatesOf([node(changes)], around(surroundings))[0]!;

describe('hostStatesOf', () => {
  it('has the sizes of the properties and one of the resource class', () => {
    const state = stateOf({}, { failedBuilds: new Map([['node-1', 2]]) });
    expect(state).toMatchObject({
      host: 'compute-1',
      nodename: 'node-1',
      domain: 'node-1',
      availabilityZone: 'nova',
      vcpus: 4,
      ramMb: 8_192,
      diskMb: 102_400,
      supportedInstances: [{ architecture: 'x86_64', hypervisorType: 'baremetal', vmMode: 'hvm' }],
      failedBuilds: 2,
      lastUsedAtMs: before(100).getTime(),
    });
    expect([state.unusable, state.serviceDown]).toEqual([undefined, undefined]);
    expect(Object.fromEntries(state.stats)).toEqual({ boot_mode: 'uefi', rack: 'r1', cpu_arch: 'amd64' });
    expect(Object.fromEntries(state.resources)).toEqual({
      VCPU: 4,
      MEMORY_MB: 8_192,
      DISK_GB: 100,
      CUSTOM_GPU_LARGE: 1,
    });
    expect([...state.traits]).toEqual(['CUSTOM_A']);
  });

  it('has no sizes when the properties are missing or invalid', () => {
    const properties = { cpus: 'many', memory_mb: -5, local_gb: '', capabilities: { a: 1 } };
    const state = stateOf({ properties, resourceClass: null, provisionUpdatedAt: null });
    expect(state).toMatchObject({ vcpus: 0, ramMb: 0, diskMb: 0, supportedInstances: [] });
    expect(state.stats.size).toBe(0);
    expect([...state.resources.keys()]).toEqual(['VCPU', 'MEMORY_MB', 'DISK_GB']);
    expect(state.lastUsedAtMs).toBe(before(200).getTime());
  });

  it.each<[Partial<Node>, string]>([
    [{ instanceUuid: 'i-1', provisionState: 'active' }, 'in use by instance i-1'],
    [{ maintenance: true }, 'in maintenance'],
    [{ provisionState: 'cleaning' }, 'in state cleaning'],
    [{ powerState: null }, 'its power state is unknown'],
    [{ powerState: 'error' }, 'its power state is error'],
  ])('%j is not usable', (changes, reason) => expect(stateOf(changes).unusable).toBe(reason));

  it.each<[ServiceState | undefined, string | undefined]>([
    [service({ reportedAt: before(60) }), undefined],
    [service({ reportedAt: before(61) }), 'compute service compute-1 has not reported for 61 s'],
    [service({ reportedAt: null }), 'compute service compute-1 has never reported'],
    [service({ isDisabled: true, disabledReason: 'move' }), 'compute service compute-1 is disabled: move'],
    [service({ isDisabled: true }), 'compute service compute-1 is disabled: no reason given'],
    [service({ forcedDown: true }), 'compute service compute-1 is forced down'],
    [undefined, 'no compute service has it'],
  ])('%j', (given, reason) => expect(stateOf({}, { serviceOf: () => given }).serviceDown).toBe(reason));

  it('is in the aggregates of its service, its UUID and its name, and in their zone', () => {
    const aggregates = [
      { name: 'all', hosts: ['compute-1', 'node-1'], metadata: { ssd: 'true', tier: 'gold, silver' } },
      { name: 'zone', hosts: ['rack1-07'], metadata: { availability_zone: 'az-1', tier: 'silver,tin' } },
      { name: 'other', hosts: ['node-2'], metadata: { other: '1' } },
    ];
    const state = stateOf({ name: 'rack1-07' }, { aggregates });
    expect(state.availabilityZone).toBe('az-1');
    expect(Object.fromEntries(state.aggregateMetadata)).toEqual({
      ssd: ['true'],
      tier: ['gold', 'silver', 'tin'],
      availability_zone: ['az-1'],
    });
  });

  it('shares the instances of its failure domain, when a capability names one', () => {
    const rack = (uuid: string, capabilities: string, instanceUuid: string | null) =>
      node({ uuid, properties: { capabilities }, instanceUuid });
    const nodes = [rack('a', 'rack:r1', 'i-1'), rack('b', 'rack:r1', null), rack('c', '', 'i-2')];
    const states = hostStatesOf(nodes, around({ domainCapability: 'rack' }));
    expect(states.map(({ domain, instances }) => [domain, ...instances])).toEqual([
      ['r1', 'i-1'],
      ['r1', 'i-1'],
      ['c', 'i-2'],
    ]);
    expect(hostStatesOf(nodes, around()).map(({ domain }) => domain)).toEqual(['a', 'b', 'c']);
  });
});

it('names custom resource classes as Nova does', () => {
  expect(['baremetal', 'gpu.large', 'a b-c'].map(customResourceClass)).toEqual([
    'CUSTOM_BAREMETAL',
    'CUSTOM_GPU_LARGE',
    'CUSTOM_A_B_C',
  ]);
});
