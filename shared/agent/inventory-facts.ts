/**
 * The parts of an inventory that a conductor uses. An inventory comes from the network without authentication, so
 * every value may be missing or have another type; a value of another type is treated as missing.
 */
import { isJsonObject, type JsonObject } from '../json.ts';

export interface InventoryFacts {
  readonly architecture: string | undefined;
  readonly cpuCount: number | undefined;
  readonly memoryMb: number | undefined;
  /** Bytes of each disk. */
  readonly diskSizes: readonly number[];
  readonly bootMode: 'bios' | 'uefi' | undefined;
  /** MAC address of the interface from which it booted, as the agent writes it. */
  readonly bootAddress: string | undefined;
  /** MAC addresses of all interfaces. */
  readonly addresses: readonly string[];
}

export function decodeInventory(inventory: JsonObject): InventoryFacts {
  const cpu = part(inventory, 'cpu');
  const boot = part(inventory, 'boot');
  const mode = boot['current_boot_mode'];
  return {
    architecture: text(cpu, 'architecture'),
    cpuCount: number(cpu, 'count'),
    memoryMb: number(part(inventory, 'memory'), 'physical_mb'),
    diskSizes: list(inventory, 'disks').map((disk) => Number(disk['size'])),
    bootMode: mode === 'bios' || mode === 'uefi' ? mode : undefined,
    bootAddress: text(boot, 'pxe_interface'),
    addresses: list(inventory, 'interfaces').flatMap((card) => text(card, 'mac_address') ?? []),
  };
}

function part(object: JsonObject, key: string): JsonObject {
  const value = object[key];
  return isJsonObject(value) ? value : {};
}

function list(object: JsonObject, key: string): JsonObject[] {
  const value = object[key];
  return Array.isArray(value) ? value.filter(isJsonObject) : [];
}

function text(object: JsonObject, key: string): string | undefined {
  const value = object[key];
  return typeof value === 'string' ? value : undefined;
}

function number(object: JsonObject, key: string): number | undefined {
  const value = object[key];
  return typeof value === 'number' ? value : undefined;
}
