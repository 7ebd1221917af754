/**
 * A tenant uploads, or deploys, image files that are made to harm their reader: an L2 table named 16,000 times, an L1
 * table of 4 million entries, a cut file, and compressed clusters that unpack to hundreds of times their size. The conductor refuses them, stays responsive meanwhile, and ends when it is told to.
 */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { deflateRawSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { rawDisk, sha256Of } from '../fakes/image-files.ts';
import { type Made, provision } from '../fakes/operator.ts';
import { madeQcow2, qcow2Header, qcow2Image } from '../fakes/qcow2-image.ts';
import { type AttackedConductor, startAttackedConductor } from './attacked-conductor.ts';

const MEBI = 1024 * 1024;
const LARGE_CLUSTER = 2 * MEBI;
const STOP_LIMIT_MS = 10_000;
/** What another client waits for an answer, on a machine that has other work. */
const PATIENCE_MS = 1_000;
const VERDICT_LIMIT_MS = 30_000;

let conductor: AttackedConductor;
beforeAll(async () => {
  conductor = await startAttackedConductor({ compute: true, loopback: true });
});
afterAll(() => conductor?.[Symbol.asyncDispose]());

async function newImage(): Promise<string> {
  const body = { name: 'hostile', disk_format: 'qcow2', container_format: 'bare' };
  const made = await conductor.facade('POST', '/image/v2/images', { body });
  expect(made.status).toBe(201);
  return `/image/v2/images/${made.body.id}`;
}

const sendData = async (path: string, body: Buffer) =>
  conductor.facade('PUT', `${path}/file`, { body, headers: { 'content-type': 'application/octet-stream' } });

/** Another client calls the API until the work has ended. Returns its longest wait. */
async function longestWait<T>(work: Promise<T>): Promise<{ result: T; longestMs: number }> {
  let isDone = false;
  const watched = work.finally(() => {
    isDone = true;
  });
  let longestMs = 0;
  const end = performance.now() + VERDICT_LIMIT_MS;
  while (!isDone) {
    const began = performance.now();
    expect((await conductor.api('GET', '/v1/nodes?limit=1')).status).toBe(200);
    longestMs = Math.max(longestMs, performance.now() - began);
    if (performance.now() > end) throw new Error(`there is no verdict after ${VERDICT_LIMIT_MS / 1000} s`);
    await sleep(5);
  }
  return { result: await watched, longestMs };
}

/** A node that is told to deploy this file. */
async function deploying(name: string, digest: string): Promise<Made> {
  const made = await conductor.operator.make({
    fields: {
      boot_interface: 'ipxe',
      deploy_interface: 'direct',
      automated_clean: false,
      instance_info: {
        image_source: `file://${join(conductor.imageDir, name)}`,
        image_checksum: digest,
        image_disk_format: 'qcow2',
      },
    },
    port: true,
    verbs: ['manage', 'provide'],
  });
  await conductor.operator.ask(made, provision({ target: 'active' }));
  return made;
}

async function lastError({ node }: Made, state = 'deploy failed'): Promise<string> {
  await expect
    .poll(async () => (await conductor.api('GET', `/v1/nodes/${node}`)).body.provision_state, {
      timeout: VERDICT_LIMIT_MS,
    })
    .toBe(state);
  return (await conductor.api('GET', `/v1/nodes/${node}`)).body.last_error;
}

/** 6 MiB: a header, an L1 table, and one L2 table that the L1 table names 16,000 times. */
function repeatedTable(): Buffer {
  const tables = 16_000;
  const image = Buffer.alloc(3 * LARGE_CLUSTER);
  const virtualSize = BigInt(tables) * BigInt(LARGE_CLUSTER) * BigInt(LARGE_CLUSTER / 8);
  qcow2Header({ clusterBits: 21, virtualSize, l1Entries: tables, l1Offset: BigInt(LARGE_CLUSTER) }).copy(
    image,
  );
  for (let i = 0; i < tables; i += 1)
    image.writeBigUInt64BE(BigInt(2 * LARGE_CLUSTER), LARGE_CLUSTER + i * 8);
  return image;
}

/** A disk of so many clusters of 2 MiB, all of which have the same compressed data. */
function sameClusters(count: number, data: Buffer): Buffer {
  // Above the offset of 49 bits is the number of further sectors.
  const sectors = BigInt(Math.ceil(data.length / 512));
  const word = (1n << 62n) | (sectors << 49n) | BigInt(3 * LARGE_CLUSTER);
  const image = madeQcow2({
    clusterBits: 21,
    virtualSize: BigInt(count * LARGE_CLUSTER),
    l1: [BigInt(2 * LARGE_CLUSTER)],
    clusters: { 2: Array<bigint>(count).fill(word), 3: data, 4: [] },
  });
  // An empty reference count table of 16-bit counts, which other readers insist on.
  image.writeBigUInt64BE(BigInt(4 * LARGE_CLUSTER), 48);
  image.writeUInt32BE(1, 56);
  image.writeUInt32BE(4, 96);
  return image;
}

describe('an upload', () => {
  it('that names one L2 table 16,000 times is refused, and others are served meanwhile', async () => {
    const { result, longestMs } = await longestWait(sendData(await newImage(), repeatedTable()));
    expect([result.status, result.error]).toEqual([415, expect.stringContaining('is used twice')]);
    expect(longestMs).toBeLessThan(PATIENCE_MS);
  });

  it('with 4 million L1 entries costs little memory, and others are served meanwhile', async () => {
    const entries = 4 * MEBI;
    const image = Buffer.alloc(512 + entries * 8);
    qcow2Header({
      clusterBits: 9,
      virtualSize: BigInt(entries) * 32_768n,
      l1Entries: entries,
      l1Offset: 512n,
    }).copy(image);
    const path = await newImage();
    const before = await conductor.residentMiB();
    let most = 0;
    const upload = sendData(path, image);
    const watching = (async () => {
      while ((await Promise.race([upload, sleep(10, 'running')])) === 'running')
        most = Math.max(most, await conductor.residentMiB());
    })();
    const { result, longestMs } = await longestWait(upload);
    await watching;
    // It is a disk of 128 GiB without data.
    expect([result.status, result.error]).toEqual([204, '']);
    expect(most - before).toBeLessThan(150);
    expect(longestMs).toBeLessThan(PATIENCE_MS);
  });

  it('that is cut inside its last cluster is refused, with both sizes', async () => {
    const result = await sendData(await newImage(), qcow2Image().subarray(0, 4 * 65_536 - 512));
    expect([result.status, result.error]).toEqual([
      415,
      expect.stringContaining('it is 261,632 bytes, but its header says that its data ends at 262,144 bytes'),
    ]);
  });
});

describe('a deployment', () => {
  it('of compressed clusters that unpack to more than a cluster is refused, with little memory', async () => {
    const bomb = deflateRawSync(Buffer.alloc(256 * MEBI), { windowBits: 12 });
    const image = sameClusters(400, bomb);
    await writeFile(join(conductor.imageDir, 'bomb'), image);
    const before = await conductor.residentMiB();
    const node = await deploying('bomb', sha256Of(image));
    const { result, longestMs } = await longestWait(lastError(node));
    expect(result).toContain(
      'a compressed cluster cannot be unpacked: it is more than a cluster of 2097152 bytes',
    );
    expect((await conductor.residentMiB()) - before).toBeLessThan(150);
    expect(longestMs).toBeLessThan(PATIENCE_MS);
  });

  it('of an image that was refused is not tried again, also after a restart', async () => {
    const cut = qcow2Image().subarray(0, 4 * 65_536 - 512);
    await writeFile(join(conductor.imageDir, 'cut'), cut);
    expect(await lastError(await deploying('cut', sha256Of(cut)))).toContain('its data ends at');
    await conductor.stop();
    // If it was read again, it would now have the wrong digest.
    await writeFile(join(conductor.imageDir, 'cut'), rawDisk());
    await conductor.start();
    expect(await lastError(await deploying('cut', sha256Of(cut)))).toContain('its data ends at');
  });
});

it('SIGTERM ends the conductor within 10 s while hostile images are being read', async () => {
  // Unpacks to 15 GiB of zeros.
  const slow = sameClusters(7_500, deflateRawSync(Buffer.alloc(LARGE_CLUSTER), { windowBits: 12 }));
  await writeFile(join(conductor.imageDir, 'slow'), slow);
  const upload = sendData(await newImage(), repeatedTable()).catch(() => undefined);
  const { node } = await deploying('slow', sha256Of(slow));
  const phase = async () => {
    const { body } = await conductor.api('GET', `/ingot/v1/nodes/${node}/timeline`);
    return body.operations[0]?.steps.map(
      ({ progress }: { progress?: { phase?: string } }) => progress?.phase,
    );
  };
  await expect.poll(phase, { timeout: VERDICT_LIMIT_MS }).toContain('convert');
  expect(await conductor.stop()).toBeLessThan(STOP_LIMIT_MS);
  await upload;
});
