/**
 * Root device hints are refused where they are written: in a deploy they would cost a boot of the ramdisk to find out.
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
      throw new IngotError('invalidParameter', `${wire}.root_device${reason}. Correct it or take it out.`);
  }
}
