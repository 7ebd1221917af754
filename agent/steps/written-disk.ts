/**
 * The disk this boot's image was written to: the boot loader belongs on that one. Another conductor may
 * ask for the boot loader without an image having been written by this agent; then the hints decide.
 */
import { chooseRootDevice, hintsOf } from '../disk/root-device.ts';
import { withoutSkipped } from '../disk/skip-list.ts';
import type { CommandContext } from './hardware.ts';

let written: string | undefined;

export function rememberRootDevice(device: string): void {
  written = device;
}

export async function rootDevice({ hardware, node }: CommandContext): Promise<string> {
  return written ?? chooseRootDevice(withoutSkipped(await hardware.listDisks(), node), hintsOf(node)).name;
}
