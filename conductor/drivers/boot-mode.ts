/**
 * The boot mode an instance is to run in.
 */
import type { StepContext } from '../domain/drivers.ts';
import { isJsonObject, type Json } from '../domain/json.ts';
import type { BootMode } from '../domain/node.ts';

/**
 * `capabilities: boot_mode:uefi|bios` of instance_info, then of properties; else the mode the
 * node was seen in at inspection; else uefi.
 */
export async function targetBootMode({ node }: StepContext): Promise<BootMode> {
  return (
    asked(node.instanceInfo['capabilities']) ??
    asked(node.properties['capabilities']) ??
    node.bootMode ??
    'uefi'
  );
}

/** Capabilities come as `k:v,k2:v2`, as an object, or as an object in a JSON string. */
export function asked(capabilities: Json | undefined): BootMode | undefined {
  const value = isJsonObject(capabilities ?? null)
    ? (capabilities as Record<string, Json>)['boot_mode']
    : /(?:^|[,{"\s])"?boot_mode"?\s*:\s*"?(uefi|bios)\b/.exec(String(capabilities ?? ''))?.[1];
  return value === 'uefi' || value === 'bios' ? value : undefined;
}
