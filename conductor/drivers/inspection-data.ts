/**
 * Properties and MAC addresses of a node from its inventory, like Ironic's default hooks `validate-interfaces`,
 * `ports`, `architecture`, and memory, disk and CPU counts. Pure.
 */
import type { InventoryFacts } from '@ingot/shared/agent/inventory-facts.ts';
import { type Mac, parseMac } from '../domain/boot.ts';
import type { Json, JsonObject } from '../domain/json.ts';

const GIB = 1024 ** 3;

/**
 * `cpu_arch`, `cpus`, `memory_mb`, `local_gb` (of the smallest disk of 4 GiB or more, minus 1 GiB for partitioning,
 * as in Ironic).
 */
export function propertiesFrom(facts: InventoryFacts): JsonObject {
  const sizes = facts.diskSizes.filter((size) => size >= 4 * GIB).sort((a, b) => a - b);
  const found: Record<string, Json | undefined> = {
    cpu_arch: facts.architecture,
    cpus: facts.cpuCount,
    memory_mb: facts.memoryMb,
    local_gb: sizes[0] === undefined ? undefined : Math.floor(sizes[0] / GIB) - 1,
  };
  return Object.fromEntries(Object.entries(found).filter(([, value]) => value !== undefined)) as JsonObject;
}

/** The MAC address from which the ramdisk booted; those of all interfaces if it is unknown (`add_ports` = pxe). */
export function bootMacs({ bootAddress, addresses }: InventoryFacts): Mac[] {
  const booted = bootAddress === undefined ? undefined : parseMac(bootAddress);
  return booted === undefined ? addresses.flatMap((address) => parseMac(address) ?? []) : [booted];
}
