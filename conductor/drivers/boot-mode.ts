/**
 * The boot mode an instance is to run in.
 */
import { bootModeIn, parseCapabilities } from '../domain/capabilities.ts';
import { parseInstanceInfo } from '../domain/instance-info.ts';
import type { BootMode, Node } from '../domain/node.ts';

/** As capabilities ask (`boot_mode:uefi|bios` of instance_info, then of properties); else the mode of its last boot. */
export function knownBootMode(node: Node): BootMode | null {
  return (
    parseInstanceInfo(node.instanceInfo).bootMode ??
    bootModeIn(parseCapabilities(node.properties['capabilities'])) ??
    node.bootMode
  );
}

export function targetBootMode(node: Node): BootMode {
  return knownBootMode(node) ?? 'uefi';
}
