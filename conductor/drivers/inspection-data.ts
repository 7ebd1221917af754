/**
 * What an inventory says about a node: Ironic's default hooks `validate-interfaces`, `ports`,
 * `architecture`, and memory, disk and CPU counts. Pure.
 */
import { type Mac, parseMac } from '../domain/boot.ts';
import { isJsonObject, type Json, type JsonObject } from '../domain/json.ts';
import type { BootMode } from '../domain/node.ts';

const GIB = 1024 ** 3;

const part = (inventory: JsonObject, key: string): JsonObject => {
  const value = inventory[key] ?? null;
  return isJsonObject(value) ? value : {};
};

const list = (inventory: JsonObject, key: string): JsonObject[] => {
  const value: Json = inventory[key] ?? null;
  return Array.isArray(value) ? value.filter(isJsonObject) : [];
};

/** `cpu_arch`, `cpus`, `memory_mb`, `local_gb` (of the smallest disk of 4 GiB or more, less 1 GiB for partitioning, as Ironic counts). */
export function propertiesFrom(inventory: JsonObject): JsonObject {
  const cpu = part(inventory, 'cpu');
  const memory = part(inventory, 'memory');
  const sizes = list(inventory, 'disks')
    .map((disk) => Number(disk['size']))
    .filter((size) => size >= 4 * GIB)
    .sort((a, b) => a - b);
  const found: Record<string, Json | undefined> = {
    cpu_arch: typeof cpu['architecture'] === 'string' ? cpu['architecture'] : undefined,
    cpus: typeof cpu['count'] === 'number' ? cpu['count'] : undefined,
    memory_mb: typeof memory['physical_mb'] === 'number' ? memory['physical_mb'] : undefined,
    local_gb: sizes[0] === undefined ? undefined : Math.floor(sizes[0] / GIB) - 1,
  };
  return Object.fromEntries(Object.entries(found).filter(([, value]) => value !== undefined)) as JsonObject;
}

export function bootModeFrom(inventory: JsonObject): BootMode | undefined {
  const mode = part(inventory, 'boot')['current_boot_mode'];
  return mode === 'bios' || mode === 'uefi' ? mode : undefined;
}

/** The MAC the ramdisk booted from; every card's if the boot card is not known (`add_ports` = pxe). */
export function bootMacs(inventory: JsonObject): Mac[] {
  const booted = part(inventory, 'boot')['pxe_interface'];
  const pxe = typeof booted === 'string' ? parseMac(booted) : undefined;
  if (pxe !== undefined) return [pxe];
  return list(inventory, 'interfaces').flatMap((one) => {
    const mac = typeof one['mac_address'] === 'string' ? parseMac(one['mac_address']) : undefined;
    return mac === undefined ? [] : [mac];
  });
}
