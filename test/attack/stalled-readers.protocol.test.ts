/** 1,000 connections ask for a large file and read none of it. */
import { once } from 'node:events';
import { truncate } from 'node:fs/promises';
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { type AttackedConductor, knowsSetting, startAttackedConductor } from './attacked-conductor.ts';
import { createHttpCaller } from './http-caller.ts';

const FILE_BYTES = 256 * 1024 * 1024;
const NODE = '11111111-2222-4333-8444-555555555555';
const FILE = `/boot/${NODE}/ramdisk.img`;
const READERS = 1_000;
const PER_ADDRESS = 16;
const BATCH = 200;
const STALL_SECONDS = 3;

/** Asks for the file and reads only the first line of the answer. */
async function stall(conductor: AttackedConductor, localAddress: string): Promise<[number, Socket]> {
  const { port } = new URL(conductor.provisioningUrl!);
  const socket = connect({ host: '127.0.0.1', port: Number(port), localAddress });
  socket.on('error', () => undefined);
  await once(socket, 'connect');
  socket.write(`GET ${FILE} HTTP/1.1\r\nhost: 127.0.0.1\r\n\r\n`);
  await once(socket, 'readable');
  const head = socket.read(12) as Buffer;
  // The rest stays unread.
  socket.removeAllListeners('readable');
  return [Number(head.toString('latin1').split(' ')[1]), socket];
}

it('1,000 stalled readers cost little memory, and machines are served', async () => {
  await using conductor = await startAttackedConductor({ loopback: true });
  await truncate(join(conductor.ramdiskDir, 'ramdisk.img'), FILE_BYTES);
  expect((await conductor.provisioning('GET', `/boot/${NODE}/vmlinuz`)).status).toBe(200);
  const before = await conductor.residentMiB();
  const readers: [number, Socket][] = [];
  for (let begun = 0; begun < READERS; begun += BATCH) {
    const addresses = Array.from(
      { length: BATCH },
      (_, nth) => `127.0.1.${1 + Math.floor((begun + nth) / PER_ADDRESS)}`,
    );
    readers.push(...(await Promise.all(addresses.map((address) => stall(conductor, address)))));
  }
  const began = performance.now();
  expect((await conductor.provisioning('GET', '/v1')).status).toBe(200);
  expect(performance.now() - began).toBeLessThan(1_000);
  const grown = (await conductor.residentMiB()) - before;
  console.info(`${READERS} stalled readers: ${Math.round(grown)} MiB`);
  expect(grown, 'MiB').toBeLessThan(200);
  const served = readers.filter(([status]) => status === 200);
  expect(served).toHaveLength(512);
  expect(readers.filter(([status]) => status === 503)).toHaveLength(READERS - 512);
  for (const [, socket] of readers) socket.destroy();
}, 60_000);

it('one address has sixteen transfers, which end when nothing moves', async () => {
  await using conductor = await startAttackedConductor({
    loopback: true,
    settings: knowsSetting('boot.stall_seconds') ? { boot: { stall_seconds: STALL_SECONDS } } : {},
  });
  await truncate(join(conductor.ramdiskDir, 'ramdisk.img'), FILE_BYTES);
  const readers = await Promise.all(Array.from({ length: 20 }, () => stall(conductor, '127.0.0.66')));
  expect(readers.filter(([status]) => status === 200)).toHaveLength(16);
  const from = async (localAddress: string): Promise<number> => {
    const call = createHttpCaller(conductor.provisioningUrl!, undefined, { localAddress });
    return (await call('GET', `/boot/${NODE}/vmlinuz`)).status;
  };
  expect(await from('127.0.0.2')).toBe(200);
  await expect.poll(() => from('127.0.0.66'), { timeout: 15_000, interval: 250 }).toBe(200);
  for (const [, socket] of readers) socket.destroy();
}, 60_000);
