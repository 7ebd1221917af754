/**
 * Root device hints are checked when they are written: otherwise a deployment would find an error only after it has
 * booted the ramdisk.
 */
import { badRootDeviceHints } from '@ingot/shared/ironic/root-device-hints.ts';
import { IngotError } from './errors.ts';
import type { Node } from './node.ts';

const SECTIONS = { properties: 'properties', instanceInfo: 'instance_info' } as const;

/** Throws invalidParameter naming the hint. */
export function checkRootDevice(fields: Partial<Pick<Node, keyof typeof SECTIONS>>): void {
  for (const [key, wire] of Object.entries(SECTIONS) as [keyof typeof SECTIONS, string][]) {
    const hints = fields[key]?.['root_device'];
    if (hints == null) continue;
    const reason = badRootDeviceHints(hints);
    if (reason !== undefined)
      throw new IngotError('invalidParameter', `${wire}.root_device${reason}. Correct or remove it.`);
  }
}
