/**
 * The config drive: a partition labelled config-2 at the end of the disk, holding the image as it came.
 */
import { open } from 'node:fs/promises';
import { gunzipSync } from 'node:zlib';
import { request } from 'undici';
import type { Run } from '../exec/run.ts';
import { type Partition, readPartitions, rereadPartitions } from './partitions.ts';

const MEBI = 1024 * 1024;
export const MAX_BYTES = 64 * MEBI;
const NAME = 'config-2';
/** sgdisk moves the start to the next whole MiB, which must not eat into the partition. */
const ALIGNMENT_MEBI = 1;
const FETCH_TIMEOUT_MS = 60_000;

/** base64 of gzip, or the URL of such a text. Throws when it is neither or too big. */
export async function readConfigDrive(value: string, signal: AbortSignal): Promise<Buffer> {
  const encoded = /^https?:/.test(value) ? await fetchText(value, signal) : value;
  try {
    return gunzipSync(Buffer.from(encoded, 'base64'), { maxOutputLength: MAX_BYTES });
  } catch (error) {
    const tooBig = (error as { code?: string }).code === 'ERR_BUFFER_TOO_LARGE';
    const why = tooBig ? `is larger than ${MAX_BYTES / MEBI} MiB` : 'is not base64 of a gzip file';
    throw new Error(`the config drive ${why}`, { cause: error });
  }
}

async function fetchText(url: string, signal: AbortSignal): Promise<string> {
  const response = await request(url, {
    signal,
    headersTimeout: FETCH_TIMEOUT_MS,
    bodyTimeout: FETCH_TIMEOUT_MS,
  });
  if (response.statusCode !== 200)
    throw new Error(`the config drive's URL answered HTTP ${response.statusCode}`);
  return response.body.text();
}

/** Writes the config drive, into a new partition or into one the image brought for it. */
export async function writeConfigDrive(run: Run, device: string, data: Buffer): Promise<void> {
  const partition = (await findPartition(run, device)) ?? (await addPartition(run, device, data.length));
  if (partition.bytes < data.length) {
    throw new Error(
      `the config drive is ${data.length} bytes, the image's own config-2 partition only ${partition.bytes}`,
    );
  }
  const handle = await open(partition.path, 'r+');
  try {
    await handle.write(data, 0, data.length, 0);
    await handle.sync();
  } finally {
    await handle.close();
  }
}

async function findPartition(run: Run, device: string): Promise<Partition | undefined> {
  return (await readPartitions(run, device)).list.find(({ name }) => name === NAME);
}

/** At the end of the disk, where the image's own partitions can still grow up to it. */
async function addPartition(run: Run, device: string, bytes: number): Promise<Partition> {
  const before = await readPartitions(run, device);
  const mebi = Math.max(1, Math.ceil(bytes / MEBI));
  if (before.kind === 'gpt') {
    // The image's backup table lies in the middle of a larger disk: move it to the end first.
    await run('sgdisk', ['-e', device]);
    await run('sgdisk', ['-n', `0:-${mebi + ALIGNMENT_MEBI}M:0`, '-t', '0:8300', '-c', `0:${NAME}`, device]);
  } else {
    await addMbrPartition(run, device, mebi, before.list.length);
  }
  const known = new Set(before.list.map(({ path }) => path));
  const added = (await rereadPartitions(run, device)).list.find(({ path }) => !known.has(path));
  if (added === undefined) throw new Error(`a config-2 partition was made on ${device} but does not show up`);
  return added;
}

async function addMbrPartition(run: Run, device: string, mebi: number, present: number): Promise<void> {
  if (present >= 4)
    throw new Error('the image has four MBR partitions already, so there is no room for a config drive');
  const sectors = (mebi * MEBI) / 512;
  const start = Math.floor((Number(await run('blockdev', ['--getsz', device])) - sectors) / 2048) * 2048;
  if (start + sectors > 2 ** 32)
    throw new Error('an MBR cannot hold a config drive beyond 2 TiB; use a GPT image');
  await run('sfdisk', ['--append', '--no-reread', '-q', device], { input: `${start},${sectors},83\n` });
}
