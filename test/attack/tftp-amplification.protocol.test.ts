/** TFTP requests with a forged source make the conductor send to it; one host takes all transfers. */
import { createSocket, type Socket } from 'node:dgram';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { decodeTftp, encodeTftp, type TftpPacket } from '@ingot/shared/codec/tftp.ts';
import { expect, it } from 'vitest';
import { type AttackedConductor, startAttackedConductor } from './attacked-conductor.ts';
import { LAN_ADDRESS } from './attacked-lan.ts';

const PROBE = fileURLToPath(new URL('tftp-probe.py', import.meta.url));
const request = (options: Record<string, string>, filename = 'snponly.efi', mode = 'octet') =>
  encodeTftp({ op: 'rrq', filename, mode, options: new Map(Object.entries(options)) });
const FIRMWARE = { tsize: '0', blksize: '1468' };

async function open(address: string): Promise<Socket> {
  const socket = createSocket('udp4');
  socket.bind(0, address);
  await once(socket, 'listening');
  return socket;
}

/** Bytes that the request causes in `ms` without any ACK. */
async function caused(conductor: AttackedConductor, packet: Buffer, ms: number): Promise<number> {
  const socket = await open('127.0.0.66');
  let bytes = 0;
  socket.on('message', (answer) => (bytes += answer.length));
  socket.send(packet, conductor.tftpPort, '127.0.0.1');
  await sleep(ms);
  socket.close();
  return bytes;
}

/** Begins a transfer and acknowledges its first answer; returns what came then. */
async function begun(conductor: AttackedConductor, from: string): Promise<TftpPacket['op']> {
  const socket = await open(from);
  socket.send(request(FIRMWARE), conductor.tftpPort, '127.0.0.1');
  for (;;) {
    const [bytes, { port }] = await once(socket, 'message', { signal: AbortSignal.timeout(5_000) });
    const packet = decodeTftp(bytes);
    if (!packet.ok) throw new Error(packet.reason);
    if (packet.value.op !== 'oack') return packet.value.op;
    socket.send(encodeTftp({ op: 'ack', block: 0 }), port, '127.0.0.1');
  }
}

it('sends at most three times the bytes of a request before the first ACK', async () => {
  await using conductor = await startAttackedConductor({ loopback: true });
  const requests = [
    request(FIRMWARE),
    request({ ...FIRMWARE, windowsize: '64', timeout: '1' }),
    request({}),
    request({ blksize: '65464' }),
    request({ unknown: '1' }),
    request({}, 'a'),
    request({}, 'a', 'mail-is-not-supported'),
  ];
  const sent = await Promise.all(requests.map((packet) => caused(conductor, packet, 4_000)));
  const ratios = sent.map((bytes, nth) => bytes / (requests[nth]?.length ?? 1));
  expect(Math.max(...ratios), JSON.stringify(ratios)).toBeLessThanOrEqual(3);
  expect(ratios[0]).toBeGreaterThan(0);
}, 60_000);

it('one address has eight transfers, and others go on', async () => {
  await using conductor = await startAttackedConductor({ loopback: true });
  const greedy: string[] = [];
  for (let nth = 0; nth < 30; nth++) greedy.push(await begun(conductor, '127.0.0.66'));
  expect(greedy.filter((op) => op === 'data')).toHaveLength(8);
  expect(greedy.filter((op) => op === 'error')).toHaveLength(22);
  expect(await begun(conductor, '127.0.0.67')).toBe('data');

  // Requests that a machine did not send itself do not take its transfers away.
  for (let nth = 0; nth < 30; nth++) {
    const forged = await open('127.0.0.67');
    forged.send(request(FIRMWARE), conductor.tftpPort, '127.0.0.1');
  }
  await sleep(500);
  expect(await begun(conductor, '127.0.0.67')).toBe('data');
}, 60_000);

it('answers only the provisioning network', async () => {
  await using conductor = await startAttackedConductor({
    hosts: { stranger: {}, machine: { address: '10.83.0.50' } },
  });
  const [stranger, machine, own] = ['stranger', 'machine', 'conductor'].map((name) => conductor.host(name!));
  await own!.run(['ip', 'address', 'add', '10.99.0.1/24', 'dev', 'br0']);
  await stranger!.setAddress('10.99.0.66');
  await stranger!.run(['ip', 'route', 'add', '10.83.0.0/24', 'via', '10.99.0.1']);
  const probe = ['/usr/bin/python3', PROBE, LAN_ADDRESS, '69', request(FIRMWARE).toString('hex'), '1.5'];
  expect(Number((await machine!.run(probe)).stdout)).toBeGreaterThan(0);
  expect(Number((await stranger!.run(probe)).stdout)).toBe(0);
}, 60_000);
