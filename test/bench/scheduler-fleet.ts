/**
 * Nodes for the scheduler's benchmark: free machines of several models, in racks and zones, some with failed builds.
 */

import type { Node } from '../../conductor/domain/node.ts';
import type { HostState } from '../../conductor/scheduler/host-state.ts';
import { hostStatesOf } from '../../conductor/scheduler/node-host-state.ts';
import { randomFrom } from '../../conductor/scheduler/random.ts';

const ZONES = ['az-1', 'az-2', 'az-3'];
const ARCHITECTURES = ['x86_64', 'x86_64', 'x86_64', 'aarch64'];
const BOOT_MODES = ['uefi', 'uefi', 'bios'];
const NOW = new Date('2026-01-02T03:04:05Z');

/** Nodes with the fields that the scheduler reads. */
export function nodesOf(count: number, seed: number): Node[] {
  const random = randomFrom(seed);
  const oneOf = <T>(values: readonly T[]): T => values[Math.floor(random() * values.length)]!;
  return Array.from({ length: count }, (_, index) => {
    const uuid = `00000000-0000-4000-8000-${String(index).padStart(12, '0')}`;
    const capabilities = `boot_mode:${oneOf(BOOT_MODES)},gpus:${oneOf([0, 0, 2, 4, 8])},rack:r${index % 250}`;
    const node: Partial<Node> = {
      uuid,
      name: `rack${index % 250}-${index}`,
      instanceUuid: null,
      properties: {
        cpus: oneOf([8, 16, 32, 64]),
        memory_mb: oneOf([16, 32, 64, 128, 256]) * 1_024,
        local_gb: oneOf([240, 480, 960, 1_920]),
        cpu_arch: oneOf(ARCHITECTURES),
        capabilities,
      },
      resourceClass: 'gold',
      traits: ['CUSTOM_A', 'HW_CPU_X86_AVX2'],
      provisionState: 'available',
      powerState: 'power off',
      maintenance: false,
      provisionUpdatedAt: new Date(NOW.getTime() - Math.floor(random() * 1e9)),
      createdAt: NOW,
    };
    return node as Node;
  });
}

/** One compute service has all nodes. Each zone has a third of them, and one in twenty had a failed build. */
export function statesOf(nodes: readonly Node[]): HostState[] {
  const service = {
    host: 'compute-1',
    isDisabled: false,
    disabledReason: null,
    forcedDown: false,
    reportedAt: NOW,
  };
  return hostStatesOf(nodes, {
    now: NOW,
    serviceOf: () => service,
    serviceDownMs: 60_000,
    aggregates: ZONES.map((zone, nth) => ({
      name: zone,
      hosts: nodes.filter((_, index) => index % ZONES.length === nth).map(({ uuid }) => uuid),
      metadata: { availability_zone: zone },
    })),
    defaultAvailabilityZone: 'nova',
    domainCapability: 'rack',
    failedBuilds: new Map(nodes.filter((_, index) => index % 20 === 0).map(({ uuid }) => [uuid, 1])),
    cachedImages: new Set(),
  });
}
