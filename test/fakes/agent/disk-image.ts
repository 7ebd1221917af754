/** Raw disk images with a partition table, made by the usual partitioning tools. */
import { createHash, randomBytes } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { run } from '../../../agent/exec/run.ts';

const MEBI = 1024 * 1024;

/** `{id, urls, ...}` of prepare_image for the image at this URL. */
export const imageInfoOf = (image: Buffer, url: string): Record<string, unknown> => ({
  id: 'image-1',
  urls: [url],
  os_hash_algo: 'sha256',
  os_hash_value: createHash('sha256').update(image).digest('hex'),
  disk_format: 'raw',
  image_type: 'whole-disk',
});

/** Two partitions, the second up to the end of the image; further sgdisk arguments come last. */
export const makeGptImage = (mebi: number, ...more: readonly string[]): Promise<Buffer> =>
  onFile(mebi, async (file) => {
    const esp = ['-n', '1:2048:+1M', '-t', '1:ef00', '-c', '1:ESP'];
    await run('sgdisk', [...esp, '-n', '2:0:0', '-t', '2:8300', '-c', '2:root', ...more, file]);
  });

/** The given number of partitions of 1 MiB. */
export const makeMbrImage = (mebi: number, partitions = 2): Promise<Buffer> =>
  onFile(mebi, async (file) => {
    const lines = Array.from({ length: partitions }, () => ',1M,83\n').join('');
    await run('sfdisk', ['-q', file], { input: `label: dos\n${lines}` });
  });

async function onFile(mebi: number, partition: (file: string) => Promise<void>): Promise<Buffer> {
  const dir = mkdtempSync(join(tmpdir(), 'ingot-image-'));
  const file = join(dir, 'image');
  try {
    // Random content between the tables, so that a misplaced byte is noticed.
    writeFileSync(file, Buffer.concat([Buffer.alloc(MEBI), randomBytes((mebi - 2) * MEBI)]));
    truncateSync(file, mebi * MEBI);
    await partition(file);
    return readFileSync(file);
  } finally {
    rmSync(dir, { recursive: true });
  }
}
