import { describe, expect, it } from 'vitest';
import { hostState, type RequestChanges, requestSpec } from '../../../test/fakes/scheduler.ts';
import type { HostState } from '../host-state.ts';
import type { RequestGroup } from '../request-spec.ts';
import { refusal } from './filter.ts';
import { FILTER_NAMES, type FilterName, filtersOf } from './table.ts';

type Case = readonly [
  why: string,
  host: Partial<HostState>,
  request: RequestChanges,
  reason: string | undefined,
];

const specs = (extraSpecs: Record<string, string>): RequestChanges => ({ flavor: { extraSpecs } });
const image = (properties: Record<string, string>): RequestChanges => ({
  image: { uuid: 'image-1', properties },
});
const stats = (...entries: [string, string][]): Partial<HostState> => ({ stats: new Map(entries) });
const query = (json: unknown): RequestChanges => ({ hints: { query: JSON.stringify(json) } });
const group = (
  policy: RequestGroup['policy'],
  members: Record<string, number>,
  most = 1,
): RequestChanges => ({
  group: { policy, maxServerPerHost: most, members: new Map(Object.entries(members)) },
});
const aggregate = (key: string, ...values: string[]): Partial<HostState> => ({
  aggregateMetadata: new Map([[key, values]]),
});
const rack = { domain: 'rack-1', instances: new Set(['a', 'b']) };
const isolation = { hosts: ['isolated'], images: ['image-1'], isRestricted: true };

const CASES: Readonly<Record<FilterName, readonly Case[]>> = {
  AllHostsFilter: [['always', { vcpus: 0, serviceDown: 'down' }, {}, undefined]],
  RetryFilter: [
    ['never tried', {}, {}, undefined],
    [
      'tried there',
      {},
      { tried: [{ host: 'compute-1', nodename: 'node-1' }] },
      'a build of this request has failed there',
    ],
    ['tried another node', {}, { tried: [{ host: 'compute-1', nodename: 'node-2' }] }, undefined],
    ['tried by another service', {}, { tried: [{ host: 'compute-2', nodename: 'node-1' }] }, undefined],
  ],
  AvailabilityZoneFilter: [
    ['none asked', { availabilityZone: 'a' }, {}, undefined],
    ['same', { availabilityZone: 'a' }, { availabilityZone: 'a' }, undefined],
    ['another', { availabilityZone: 'a' }, { availabilityZone: 'b' }, 'in availability zone a, asked for b'],
  ],
  RamFilter: [
    ['exactly enough', { ramMb: 1_024 }, { flavor: { ramMb: 1_024 } }, undefined],
    ['too little', { ramMb: 1_023 }, { flavor: { ramMb: 1_024 } }, '1023 MB of memory, asked for 1024 MB'],
    ['unknown, and none needed', { ramMb: 0 }, specs({ 'resources:MEMORY_MB': '0' }), undefined],
    [
      'resources: rules',
      { ramMb: 2_048 },
      specs({ 'resources:MEMORY_MB': '4096' }),
      '2048 MB of memory, asked for 4096 MB',
    ],
  ],
  DiskFilter: [
    [
      'root + ephemeral + swap',
      { diskMb: 3_172 },
      { flavor: { rootGb: 2, ephemeralGb: 1, swapMb: 100 } },
      undefined,
    ],
    [
      'swap does not fit',
      { diskMb: 3_171 },
      { flavor: { rootGb: 2, ephemeralGb: 1, swapMb: 100 } },
      '3171 MB of disk, asked for 3172 MB',
    ],
    [
      'unknown, and none needed',
      { diskMb: 0 },
      { flavor: { swapMb: 9, extraSpecs: { 'resources:DISK_GB': '0' } } },
      undefined,
    ],
  ],
  CoreFilter: [
    ['exactly enough', { vcpus: 4 }, { flavor: { vcpus: 4 } }, undefined],
    ['too few', { vcpus: 3 }, { flavor: { vcpus: 4 } }, '3 processors, asked for 4'],
    ['unknown, and none needed', { vcpus: 0 }, specs({ 'resources:VCPU': '0' }), undefined],
  ],
  ComputeFilter: [
    ['up', {}, {}, undefined],
    [
      'down',
      { serviceDown: 'compute service c is disabled: move' },
      {},
      'compute service c is disabled: move',
    ],
  ],
  ComputeCapabilitiesFilter: [
    ['nothing asked', {}, {}, undefined],
    ['scoped, matches', stats(['boot_mode', 'uefi']), specs({ 'capabilities:boot_mode': 'uefi' }), undefined],
    [
      'scoped, another value',
      stats(['boot_mode', 'bios']),
      specs({ 'capabilities:boot_mode': 'uefi' }),
      'capability boot_mode is bios, asked for capabilities:boot_mode=uefi',
    ],
    [
      'scoped, missing',
      {},
      specs({ 'capabilities:boot_mode': 'uefi' }),
      'no capability boot_mode, asked for capabilities:boot_mode=uefi',
    ],
    [
      'scoped, missing, with an operator',
      {},
      specs({ 'capabilities:gpus': '>= 1' }),
      'no capability gpus, asked for capabilities:gpus=>= 1',
    ],
    ['unscoped, missing', {}, specs({ hw_thing: 'x' }), undefined],
    [
      'unscoped, another value',
      stats(['hw_thing', 'y']),
      specs({ hw_thing: 'x' }),
      'capability hw_thing is y, asked for hw_thing=x',
    ],
    [
      'unscoped, an attribute',
      { ramMb: 100 },
      specs({ free_ram_mb: '>= 200' }),
      'capability free_ram_mb is 100, asked for free_ram_mb=>= 200',
    ],
    [
      'of another scope',
      {},
      specs({ 'hw:cpu_policy': 'dedicated', 'aggregate_instance_extra_specs:ssd': 'true' }),
      undefined,
    ],
    ['an operator', stats(['gpus', '4']), specs({ 'capabilities:gpus': '>= 2' }), undefined],
    [
      'nested',
      stats(['nic', '{"speed": {"gb": 25}}']),
      specs({ 'capabilities:nic:speed:gb': '= 10' }),
      undefined,
    ],
    [
      'nested, missing',
      stats(['nic', '{"speed": 1}']),
      specs({ 'capabilities:nic:duplex': 'x' }),
      'no capability nic:duplex, asked for capabilities:nic:duplex=x',
    ],
    [
      'nested, not JSON',
      stats(['nic', 'fast']),
      specs({ 'capabilities:nic:speed': 'x' }),
      'no capability nic:speed, asked for capabilities:nic:speed=x',
    ],
    [
      'prototype names are no attributes',
      {},
      specs({ 'capabilities:constructor': 'x' }),
      'no capability constructor, asked for capabilities:constructor=x',
    ],
    ['hypervisor attributes', {}, specs({ 'capabilities:hypervisor_type': 's== baremetal' }), undefined],
  ],
  ImagePropertiesFilter: [
    ['no image', {}, {}, undefined],
    ['an image for anything', { supportedInstances: [] }, image({ os_distro: 'debian' }), undefined],
    ['architecture', {}, image({ hw_architecture: 'x86_64' }), undefined],
    ['an alias of the architecture', {}, image({ hw_architecture: 'AMD64' }), undefined],
    [
      'the older name',
      {},
      image({ architecture: 'aarch64' }),
      'runs x86_64 baremetal hvm, the image needs hw_architecture=aarch64',
    ],
    [
      'another architecture',
      {},
      image({ hw_architecture: 'arm64' }),
      'runs x86_64 baremetal hvm, the image needs hw_architecture=arm64',
    ],
    [
      'architecture not known',
      { supportedInstances: [] },
      image({ hw_architecture: 'x86_64' }),
      'cpu_arch is not known, the image needs hw_architecture=x86_64',
    ],
    ['hypervisor type', {}, image({ img_hv_type: 'baremetal' }), undefined],
    [
      'another hypervisor',
      {},
      image({ img_hv_type: 'qemu' }),
      'runs x86_64 baremetal hvm, the image needs img_hv_type=qemu',
    ],
    ['mode', {}, image({ hw_vm_mode: 'hv' }), undefined],
    [
      'another mode',
      {},
      image({ hw_vm_mode: 'pv' }),
      'runs x86_64 baremetal hvm, the image needs hw_vm_mode=pv',
    ],
    [
      'version',
      { hypervisorVersion: '1.2' },
      image({ img_hv_type: 'baremetal', img_hv_requested_version: '>=1.0, <1.10' }),
      undefined,
    ],
    [
      'another version',
      {},
      image({ img_hv_type: 'baremetal', img_hv_requested_version: '>=2' }),
      'hypervisor version 1, the image needs >=2',
    ],
    [
      'unreadable version',
      {},
      image({ img_hv_type: 'baremetal', img_hv_requested_version: 'new' }),
      'hypervisor version 1, the image needs new',
    ],
  ],
  ServerGroupAntiAffinityFilter: [
    ['no group', {}, {}, undefined],
    ['another policy', rack, group('soft-anti-affinity', { 'rack-1': 5 }), undefined],
    ['no member there', rack, group('anti-affinity', { 'rack-2': 5 }), undefined],
    [
      'a member there',
      rack,
      group('anti-affinity', { 'rack-1': 1 }),
      'rack-1 holds 1 of the server group, allowed are 1',
    ],
    ['fewer than allowed', rack, group('anti-affinity', { 'rack-1': 1 }, 2), undefined],
    [
      'as many as allowed',
      rack,
      group('anti-affinity', { 'rack-1': 2 }, 2),
      'rack-1 holds 2 of the server group, allowed are 2',
    ],
  ],
  ServerGroupAffinityFilter: [
    ['no group', {}, {}, undefined],
    ['another policy', rack, group('anti-affinity', { 'rack-2': 1 }), undefined],
    ['no members yet', rack, group('affinity', {}), undefined],
    ['members there', rack, group('affinity', { 'rack-1': 1 }), undefined],
    [
      'members elsewhere',
      rack,
      group('affinity', { 'rack-2': 1, 'rack-3': 1 }),
      'in rack-1, the server group is in rack-2, rack-3',
    ],
  ],
  SameHostFilter: [
    ['not asked', {}, {}, undefined],
    ['one of them is there', rack, { hints: { sameHost: ['x', 'b'] } }, undefined],
    [
      'none of them is there',
      rack,
      { hints: { sameHost: ['x'] } },
      'none of the instances of same_host is in rack-1',
    ],
  ],
  DifferentHostFilter: [
    ['not asked', rack, {}, undefined],
    ['none of them is there', rack, { hints: { differentHost: ['x'] } }, undefined],
    [
      'one of them is there',
      rack,
      { hints: { differentHost: ['x', 'b'] } },
      'instance b of different_host is in rack-1',
    ],
  ],
  IsolatedHostsFilter: [
    ['neither', {}, { image: { uuid: 'other', properties: {} } }, undefined],
    ['both', { host: 'isolated' }, image({}), undefined],
    ['both, by name of the node', { name: 'isolated' }, image({}), undefined],
    ['an isolated image elsewhere', {}, image({}), 'image image-1 is for isolated hosts only'],
    [
      'another image on an isolated host',
      { nodename: 'isolated' },
      { image: { uuid: 'other', properties: {} } },
      'isolated, and the image is not',
    ],
    ['no image on an isolated host', { nodename: 'isolated' }, {}, 'isolated, and the image is not'],
  ],
  JsonFilter: [
    ['no query', {}, {}, undefined],
    ['empty', {}, query([]), undefined],
    ['holds', {}, query(['>=', '$free_ram_mb', 1_024]), undefined],
    ['does not hold', {}, query(['>=', '$free_ram_mb', 1_000_000]), 'the query of the hint does not hold'],
    ['a stat of a machine in use', { unusable: 'in use' }, query(['=', '$vcpus_used', 8]), undefined],
    ['an unknown attribute', {}, query(['=', '$nothing', 1]), 'the query of the hint does not hold'],
  ],
  AggregateInstanceExtraSpecsFilter: [
    ['nothing asked', {}, {}, undefined],
    ['matches', aggregate('ssd', 'true'), specs({ 'aggregate_instance_extra_specs:ssd': 'true' }), undefined],
    ['without a scope', aggregate('ssd', 'true'), specs({ ssd: 'true' }), undefined],
    [
      'one of the values',
      aggregate('tier', 'gold', 'silver'),
      specs({ tier: '<or> silver <or> bronze' }),
      undefined,
    ],
    [
      'none of the values',
      aggregate('tier', 'gold', 'silver'),
      specs({ tier: 'bronze' }),
      'aggregates have tier=gold,silver, asked for tier=bronze',
    ],
    ['missing', {}, specs({ ssd: 'true' }), 'no aggregate has ssd, asked for ssd=true'],
    ['of another scope', {}, specs({ 'capabilities:ssd': 'true', 'resources:CUSTOM_GOLD': '1' }), undefined],
  ],
  ResourcesFilter: [
    ['nothing asked', {}, {}, undefined],
    ['the class of the node', {}, specs({ 'resources:CUSTOM_GOLD': '1' }), undefined],
    ['another class', {}, specs({ 'resources:CUSTOM_SILVER': '1' }), 'has 0 of CUSTOM_SILVER, asked for 1'],
    ['two of it', {}, specs({ 'resources:CUSTOM_GOLD': '2' }), 'has 1 of CUSTOM_GOLD, asked for 2'],
    [
      'two in groups',
      {},
      specs({ 'resources1:CUSTOM_GOLD': '1', 'resources_a:CUSTOM_GOLD': '1' }),
      'has 1 of CUSTOM_GOLD, asked for 2',
    ],
    ['zeros ask nothing', {}, specs({ 'resources:VCPU': '0', 'resources:CUSTOM_SILVER': '0' }), undefined],
  ],
  TraitsFilter: [
    ['nothing asked', { traits: new Set(['CUSTOM_A']) }, {}, undefined],
    [
      'required, there',
      { traits: new Set(['CUSTOM_A']) },
      specs({ 'trait:CUSTOM_A': 'required' }),
      undefined,
    ],
    ['required, missing', {}, specs({ 'trait:CUSTOM_A': 'required' }), 'without the trait CUSTOM_A'],
    ['required by the image', {}, image({ 'trait:CUSTOM_B': 'required' }), 'without the trait CUSTOM_B'],
    ['forbidden, missing', {}, specs({ 'trait:CUSTOM_A': 'forbidden' }), undefined],
    [
      'forbidden, there',
      { traits: new Set(['CUSTOM_A']) },
      specs({ 'trait:CUSTOM_A': 'forbidden' }),
      'has the trait CUSTOM_A, which is forbidden',
    ],
  ],
};

describe.each(FILTER_NAMES)('%s', (name) => {
  const [inventory, entry] = filtersOf([name], { isolation });

  it('comes after the inventory', () => expect([inventory?.name, entry?.name]).toEqual(['Inventory', name]));

  it.each(CASES[name])('%s', (_, host, request, reason) => {
    expect(refusal(entry!.filter, hostState(host), requestSpec(request))).toBe(reason);
  });
});

it('a machine in use is never selected', () => {
  const [inventory] = filtersOf([], { isolation });
  expect(refusal(inventory!.filter, hostState({ unusable: 'in maintenance' }), requestSpec())).toBe(
    'in maintenance',
  );
  expect(refusal(inventory!.filter, hostState(), requestSpec())).toBeUndefined();
});

it('isolated hosts without a restriction also accept other images', () => {
  const [, entry] = filtersOf(['IsolatedHostsFilter'], { isolation: { ...isolation, isRestricted: false } });
  expect(refusal(entry!.filter, hostState({ host: 'isolated' }), requestSpec())).toBeUndefined();
  expect(refusal(entry!.filter, hostState(), requestSpec(image({})))).toBe(
    'image image-1 is for isolated hosts only',
  );
});
