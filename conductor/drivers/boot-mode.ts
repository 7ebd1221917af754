/**
 * The boot mode of an instance.
 */
import { bootModeIn, parseCapabilities } from '../domain/capabilities.ts';
import { parseInstanceInfo } from '../domain/instance-info.ts';
import type { BootMode, Node } from '../domain/node.ts';

/**
 * The mode in capabilities (`boot_mode:uefi|bios` of instance_info, then of properties); else that of the last boot.
 */
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
