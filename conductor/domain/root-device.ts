/**
 * Root device hints are checked when they are written: otherwise a deployment would find an error only after it has
 * booted the ramdisk.
 */
import { badRootDeviceHints } from '@ingot/shared/ironic/root-device-hints.ts';
import { IngotError } from './errors.ts';
import { parseInstanceInfo } from './instance-info.ts';
import type { Node } from './node.ts';

/** Throws invalidParameter naming the hint. */
export function checkRootDevice({
  properties,
  instanceInfo,
}: Partial<Pick<Node, 'properties' | 'instanceInfo'>>): void {
  const sections = [
    ['properties', properties?.['root_device']],
    ['instance_info', instanceInfo && parseInstanceInfo(instanceInfo).rootDevice],
  ] as const;
  for (const [wire, hints] of sections) {
    if (hints == null) continue;
    const reason = badRootDeviceHints(hints);
    if (reason !== undefined)
      throw new IngotError('invalidParameter', `${wire}.root_device${reason}. Correct or remove it.`);
  }
}
