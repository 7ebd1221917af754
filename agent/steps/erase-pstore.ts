/**
 * The clean step that removes what the kernel of a former tenant kept of its crashes: pstore, and its EFI variables where
 * the ramdisk has no driver for them. The next tenant could read it.
 */
import { readdir, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import type { CommandContext } from './hardware.ts';

export interface PstorePlaces {
  readonly pstore: string;
  readonly efiVariables: string;
}

const PLACES: PstorePlaces = { pstore: '/sys/fs/pstore', efiVariables: '/sys/firmware/efi/efivars' };

/** The kernel's names of EFI variables with crash logs (drivers/firmware/efi/efi-pstore.c). */
const CRASH_VARIABLE = /^dump-type\d/;

export async function erasePstore({ hardware }: CommandContext, places = PLACES): Promise<void> {
  const { run, log } = hardware;
  if (await exists(places.pstore)) {
    // It may be mounted already, or the machine may have no memory for it.
    await run('mount', ['-t', 'pstore', 'pstore', places.pstore]).catch((error: Error) =>
      log.info(`pstore: ${error.message}`),
    );
  }
  const files = [
    ...(await filesIn(places.pstore)),
    ...(await filesIn(places.efiVariables, (name) => CRASH_VARIABLE.test(name))),
  ];
  for (const file of files) await unlink(file);
  log.info(`removed ${files.length} records of crashes`);
}

const exists = (dir: string): Promise<boolean> =>
  readdir(dir).then(
    () => true,
    () => false,
  );

async function filesIn(dir: string, wanted: (name: string) => boolean = () => true): Promise<string[]> {
  if (!(await exists(dir))) return [];
  const entries = await readdir(dir, { withFileTypes: true });
  return entries.flatMap((entry) => (entry.isFile() && wanted(entry.name) ? [join(dir, entry.name)] : []));
}
