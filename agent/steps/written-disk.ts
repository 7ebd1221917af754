/**
 * The disk for the boot loader: the one that the image was written to. If this agent has not written an image, the root
 * device hints decide, as for an image.
 */
import { chooseRootDevice, hintsOf } from '../disk/root-device.ts';
import { withoutSkipped } from '../disk/skip-list.ts';
import type { CommandContext } from './hardware.ts';

export async function rootDevice({ hardware, node }: CommandContext): Promise<string> {
  const { device } = hardware.written;
  return device ?? chooseRootDevice(withoutSkipped(await hardware.listDisks(), node), hintsOf(node)).name;
}
