/**
 * Partitions of a disk as the kernel sees them, and making it look again.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Run } from '../exec/run.ts';

export interface Partition {
  readonly path: string;
  readonly number: number;
  readonly bytes: number;
  /** GPT type GUID or MBR type, lower case. */
  readonly type: string | null;
  /** GPT name. */
  readonly name: string | null;
  /** File system label. */
  readonly label: string | null;
  readonly uuid: string | null;
  readonly partitionUuid: string | null;
}

interface LsblkPartition {
  readonly path: string;
  readonly type: string;
  readonly size: number;
  readonly parttype: string | null;
  readonly partlabel: string | null;
  readonly label: string | null;
  readonly uuid: string | null;
  readonly partuuid: string | null;
  readonly partn?: number | null;
}

export const ESP_TYPES: readonly string[] = ['c12a7328-f81f-11d2-ba4b-00a0c93ec93b', '0xef'];

const TRIES = 10;
const RETRY_MS = 500;

export async function listPartitions(run: Run, device: string): Promise<Partition[]> {
  const answer = await run('lsblk', [
    '-Jb',
    '-o',
    'PATH,TYPE,SIZE,PARTTYPE,PARTLABEL,LABEL,UUID,PARTUUID',
    '--list',
    device,
  ]);
  const { blockdevices } = JSON.parse(answer) as { blockdevices: LsblkPartition[] };
  return blockdevices
    .filter(({ type }) => type === 'part')
    .map((part) => ({
      path: part.path,
      number: Number(/(\d+)$/.exec(part.path)?.[1]),
      bytes: part.size,
      type: part.parttype?.toLowerCase() ?? null,
      name: part.partlabel,
      label: part.label,
      uuid: part.uuid,
      partitionUuid: part.partuuid,
    }))
    .sort((a, b) => a.number - b.number);
}

/** Makes the kernel read the partition table again; a disk that was just written may be busy for a moment. */
export async function rereadPartitions(run: Run, device: string): Promise<void> {
  for (let tries = 1; ; tries += 1) {
    try {
      await run('blockdev', ['--rereadpt', device]);
      return;
    } catch (error) {
      if (tries === TRIES) throw error;
      await sleep(RETRY_MS);
    }
  }
}
