/**
 * The firmware files that the ramdisk's drivers need, from Debian's non-free-firmware if the host's apt has it.
 */
import { readFile, realpath } from 'node:fs/promises';
import { join } from 'node:path';
import type { CpioEntry } from './cpio.ts';
import type { KernelModule } from './kernel-modules.ts';

/** A driver and the files it needs that no package contains. */
export interface MissingFirmware {
  readonly module: string;
  readonly files: readonly string[];
}

export interface Firmware {
  readonly entries: readonly CpioEntry[];
  readonly missing: readonly MissingFirmware[];
}

/** The files that modules name. Links are followed, so each file has the name that the driver asks for. */
export async function firmwareEntries(
  modules: readonly Pick<KernelModule, 'name' | 'firmware'>[],
  firmwareRoot: string,
): Promise<Firmware> {
  const entries = new Map<string, CpioEntry>();
  const missing: MissingFirmware[] = [];
  for (const { name, firmware } of modules) {
    const absent: string[] = [];
    for (const wanted of firmware) {
      const path = `lib/firmware/${wanted}`;
      const data = await readIfThere(join(firmwareRoot, path));
      if (data === undefined) absent.push(wanted);
      else entries.set(path, { kind: 'file', path, mode: 0o644, data });
    }
    if (absent.length > 0) missing.push({ module: name, files: absent });
  }
  return { entries: [...entries.values()], missing };
}

async function readIfThere(path: string): Promise<Buffer | undefined> {
  try {
    return await readFile(await realpath(path));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}
