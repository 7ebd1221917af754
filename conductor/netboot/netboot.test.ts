/** The services together on loopback: what a transfer is recorded as, addresses by DHCP, and starting and stopping. */
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type DhcpMessage, decodeDhcp, encodeDhcp } from '@ingot/shared/codec/dhcp/message.ts';
import { decodeTftp, encodeTftp } from '@ingot/shared/codec/tftp.ts';
import fastify from 'fastify';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type BootFakes, createBootFakes } from '../../test/fakes/netboot/boot-fakes.ts';
import { dhcpRequest } from '../../test/fakes/netboot/dhcp-client.ts';
import type { FixedAddresses, Mac } from '../domain/boot.ts';
import type { DhcpPorts } from './dhcp-server.ts';
import type { DhcpSettings } from './dhcp-settings.ts';
import { createNetboot, type Netboot, type NetbootDeps, type NetbootSettings } from './netboot.ts';

const ADDRESS = '127.0.0.1';
const MAC = '52:54:00:00:00:0a' as Mac;
const OTHER = '52:54:00:00:00:0b' as Mac;
const NODE = '1be26c0b-03f2-4d2e-ae87-c02d7f33c123';

let dir: string;
let port: number;
let fakes: BootFakes;
let log: { level: string; fields: object; text: string }[];
let netboot: Netboot;
let stopped: boolean;

async function freePort(): Promise<number> {
  const socket = createSocket('udp4');
  socket.bind(0, ADDRESS);
  await once(socket, 'listening');
  const found = socket.address().port;
  socket.close();
  return found;
}

const logAs = (level: string) => (fields: object, text: string) => void log.push({ level, fields, text });

const DHCP: DhcpSettings = {
  dhcpMode: 'off',
  address: ADDRESS,
  netmask: '255.0.0.0',
  dhcpRangeStart: '127.0.0.10',
  dhcpRangeEnd: '127.0.0.12',
  dhcpRouter: '127.0.0.12',
  dhcpDns: [],
  dhcpLeaseMs: 60_000,
  loaders: {},
  httpBaseUrl: 'http://127.0.0.1:8089',
};

function netbootOf(
  settings: Partial<NetbootSettings> = {},
  more: Partial<Pick<NetbootDeps, 'fixedAddresses'>> = {},
): Netboot {
  const directories = { tftpRoot: join(dir, 'tftp'), ramdiskDir: join(dir, 'ramdisk') };
  return createNetboot(
    {
      dhcp: DHCP,
      tftpPort: port,
      tftp: { networks: [], perAddress: 8, plainRequests: true },
      ...directories,
      ...settings,
    },
    {
      directory: fakes.directory,
      leases: fakes.leases,
      trace: fakes.trace,
      now: () => new Date(0),
      logger: { info: logAs('info'), warn: logAs('warn'), error: logAs('error') },
      ...more,
    },
  );
}

beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'netboot-'));
  for (const name of ['ramdisk', 'tftp']) await mkdir(join(dir, name));
  await writeFile(join(dir, 'ramdisk', 'vmlinuz'), 'kernel');
  await writeFile(join(dir, 'tftp', 'snponly.efi'), 'program');
  fakes = createBootFakes({ [MAC]: { kind: 'ramdisk', nodeUuid: NODE, kernelParams: [] } });
  await fakes.leases.put({ mac: MAC, address: ADDRESS, expiresAt: new Date(60_000) }, new Date(0));
  log = [];
  stopped = false;
  port = await freePort();
  netboot = netbootOf();
  await netboot.start();
});
afterEach(async () => {
  if (!stopped) await netboot.stop();
  await rm(dir, { recursive: true, force: true });
});

/** Fetches a file of one block; `acknowledge` false leaves the transfer unfinished. */
async function fetch(filename: string, acknowledge = true): Promise<string> {
  const client = createSocket('udp4');
  client.bind(0, ADDRESS);
  await once(client, 'listening');
  client.send(encodeTftp({ op: 'rrq', filename, mode: 'octet', options: new Map() }), port, ADDRESS);
  const [packet, from] = (await once(client, 'message')) as [Buffer, { port: number }];
  const decoded = decodeTftp(packet);
  if (!decoded.ok) throw new Error(decoded.reason);
  const answer = acknowledge
    ? encodeTftp({ op: 'ack', block: 1 })
    : encodeTftp({ op: 'error', code: 0, message: 'enough' });
  await new Promise<void>((resolve) => client.send(answer, from.port, ADDRESS, () => resolve()));
  client.close();
  if (decoded.value.op === 'data') {
    await expect.poll(() => log.some(({ text }) => text.startsWith('TFTP transfer'))).toBe(true);
    return Buffer.from(decoded.value.data).toString();
  }
  return decoded.value.op;
}

it('records a boot program for the machine that leased the address', async () => {
  expect(await fetch('snponly.efi')).toBe('program');
  await expect.poll(() => fakes.seen()).toEqual(['nbp start', 'nbp done']);
  expect(fakes.sightings[0]).toEqual({ kind: 'nbp start', at: new Date(0), mac: MAC, detail: 'snponly.efi' });
  expect(fakes.sightings[1]).toMatchObject({ mac: MAC, detail: 'snponly.efi', bytes: 7 });
  expect(log.at(-1)).toMatchObject({ level: 'info', text: 'TFTP transfer: done' });
});

it('does not record a boot program for an address without a lease', async () => {
  await fakes.leases.release(MAC);
  expect(await fetch('snponly.efi')).toBe('program');
  await new Promise((resolve) => setImmediate(resolve));
  expect(fakes.seen()).toEqual([]);
});

it('records only the start of an interrupted transfer', async () => {
  await fetch('snponly.efi', false);
  expect(log.at(-1)?.text).toBe('TFTP transfer: broken off');
  expect(fakes.seen()).toEqual(['nbp start']);
});

it('records a kernel for the node in its name', async () => {
  expect(await fetch(`boot/${NODE}/vmlinuz`)).toBe('kernel');
  expect(fakes.sightings).toEqual([
    { kind: 'kernel start', at: new Date(0), nodeUuid: NODE, detail: 'vmlinuz' },
    { kind: 'kernel done', at: new Date(0), nodeUuid: NODE, detail: 'vmlinuz', bytes: 6 },
  ]);
});

it('records a GRUB configuration once, when it is generated', async () => {
  expect(await fetch(`grub/machine/${MAC}.cfg`)).toContain('booting the deploy ramdisk');
  await new Promise((resolve) => setImmediate(resolve));
  expect(fakes.seen()).toEqual(['script']);
});

it('warns about a refused request', async () => {
  expect(await fetch('absent.efi')).toBe('error');
  expect(log.at(-1)).toEqual({
    level: 'warn',
    fields: { client: ADDRESS, reason: 'file not found' },
    text: 'a TFTP request was refused',
  });
});

it('serves the same files over HTTP', async () => {
  const app = fastify();
  netboot.registerRoutes(app);
  const script = await app.inject(`/boot/script.ipxe?mac=${MAC}`);
  expect(script.body).toContain(`kernel http://127.0.0.1:8089/boot/${NODE}/vmlinuz`);
  expect((await app.inject(`/boot/${NODE}/vmlinuz`)).body).toBe('kernel');
  expect((await app.inject('/boot/nbp/snponly.efi')).body).toBe('program');
  await app.close();
});

it('reports its addresses, and frees the ports when it stops', async () => {
  expect(log[0]).toMatchObject({ level: 'info', fields: { address: ADDRESS, mode: 'off' } });
  await netboot.stop();
  stopped = true;
  const socket = createSocket('udp4');
  socket.bind(port, ADDRESS);
  await once(socket, 'listening');
  socket.close();
});

describe('DHCP', () => {
  /** Answers through a relay come back to its address and the server's port. */
  const RELAY = '127.0.0.2';
  let ports: DhcpPorts;

  beforeEach(async () => {
    await netboot.stop();
    const [server, client, proxy] = [await freePort(), await freePort(), await freePort()];
    ports = { server, client, proxy };
  });

  async function offerTo(mac: string, fixedAddresses?: FixedAddresses): Promise<DhcpMessage> {
    const dhcp = { ...DHCP, dhcpMode: 'reservation' } as const;
    netboot = netbootOf({ dhcp, dhcpPorts: ports }, fixedAddresses && { fixedAddresses });
    await netboot.start();
    const relay = createSocket('udp4');
    relay.bind(ports.server, RELAY);
    await once(relay, 'listening');
    relay.send(encodeDhcp(dhcpRequest('discover', { mac, giaddr: RELAY })), ports.server, ADDRESS);
    const [packet] = (await once(relay, 'message')) as [Buffer];
    relay.close();
    const decoded = decodeDhcp(packet);
    if (!decoded.ok) throw new Error(decoded.reason);
    return decoded.value;
  }

  it('leases an address of the range to a known machine', async () => {
    expect((await offerTo(MAC)).yiaddr).toBe('127.0.0.10');
    expect(fakes.seen()).toEqual(['dhcp discover', 'dhcp offer']);
  });

  it('leases its fixed address to the machine of a server, and reserved ones to no other machine', async () => {
    const server = { nodeUuid: NODE, address: '127.0.0.99', router: null, dns: [] };
    const fixed: FixedAddresses = {
      of: async (mac) => (mac === OTHER ? server : undefined),
      isReserved: async (address) => address === '127.0.0.10',
    };
    expect((await offerTo(OTHER, fixed)).yiaddr).toBe('127.0.0.99');
    await netboot.stop();
    expect((await offerTo(MAC, fixed)).yiaddr).toBe('127.0.0.11');
  });

  it('never leases the address of the router', async () => {
    const later = new Date(9e12);
    await fakes.leases.put({ mac: OTHER, address: '127.0.0.10', expiresAt: later }, new Date(0));
    const third = '52:54:00:00:00:0c' as Mac;
    await fakes.leases.put({ mac: third, address: '127.0.0.11', expiresAt: later }, new Date(0));
    const dhcp = { ...DHCP, dhcpMode: 'reservation' } as const;
    netboot = netbootOf({ dhcp, dhcpPorts: ports });
    await netboot.start();
    const relay = createSocket('udp4');
    relay.send(encodeDhcp(dhcpRequest('discover', { mac: MAC, giaddr: RELAY })), ports.server, ADDRESS);
    await expect.poll(() => log.at(-1)?.text).toContain('no address is free');
    relay.close();
  });

  it('closes TFTP when its port cannot be opened', async () => {
    const taken = createSocket('udp4');
    taken.bind(ports.server, ADDRESS);
    await once(taken, 'listening');
    const dhcp = { ...DHCP, dhcpMode: 'reservation' } as const;
    const failing = netbootOf({ dhcp, dhcpPorts: ports });
    await expect(failing.start()).rejects.toThrow(`DHCP cannot listen on 127.0.0.1 port ${ports.server}`);
    taken.close();
    netboot = netbootOf();
    await netboot.start();
  });
});
