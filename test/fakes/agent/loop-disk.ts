/**
 * A disk backed by a temporary file, through a loop device. Needs root.
 */
import { mkdtempSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Run, run } from '../../../agent/exec/run.ts';
import type { Disk } from '../../../agent/inventory/disks.ts';
import { fakeDisk } from './disk.ts';

export interface LoopDisk {
  readonly disk: Disk;
  /** The backing file. */
  readonly file: string;
  /** Runs the real programs. */
  readonly run: Run;
  readonly detach: () => Promise<void>;
}

export async function attachLoopDisk(sizeBytes: number, sectorBytes = 512): Promise<LoopDisk> {
  const dir = mkdtempSync(join(tmpdir(), 'ingot-loop-'));
  const file = join(dir, 'disk');
  writeFileSync(file, '');
  truncateSync(file, sizeBytes);
  const device = (await run('losetup', ['-P', '-b', String(sectorBytes), '-f', '--show', file])).trim();
  return {
    disk: fakeDisk({ name: device, size: sizeBytes, logical_sectors: sectorBytes }),
    file,
    run: runWithPartitions,
    async detach() {
      await run('losetup', ['-d', device]);
      rmSync(dir, { recursive: true });
    },
  };
}

/**
 * A test machine's kernel may not support partition tables, unlike the ramdisk's; then partx reads the table and
 * tells the kernel.
 */
const runWithPartitions: Run = async (program, args, options) => {
  const answer = await run(program, args, options);
  const device = args.at(-1);
  if (program === 'blockdev' && args[0] === '--rereadpt' && device !== undefined) {
    await run('partx', ['-u', device]).catch((error: unknown) => {
      // partx fails if there is no table; then the kernel needs no update.
      if (!/failed to read partition table/.test(String(error))) throw error;
    });
  }
  return answer;
};
