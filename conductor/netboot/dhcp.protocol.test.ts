/** DHCP with real clients in network namespaces. */
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { encodeDhcp } from '@ingot/shared/codec/dhcp/message.ts';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { ask, broadcast, sentTo } from '../../test/fakes/netboot/asking.ts';
import { addressOption, CLIENTS, dhcpRequest } from '../../test/fakes/netboot/dhcp-client.ts';
import {
  type Cable,
  CLIENT_INTERFACE,
  createCable,
  end,
  SERVER_ADDRESS,
} from '../../test/fakes/netboot/namespaces.ts';
import { DHCP, type RunningNetboot, startNetboot } from '../../test/fakes/netboot/test-netboot.ts';
import type { BootDecision } from '../domain/boot.ts';
import type { DhcpSettings } from './dhcp-settings.ts';

const MAC = '52:54:00:77:00:0a';
const RESERVED = '52:54:00:77:00:0b';
const STRANGER = '52:54:00:77:ff:ff';
const nodeUuid = '1be26c0b-03f2-4d2e-ae87-c02d7f33c123';
const RAMDISK: BootDecision = { kind: 'ramdisk', nodeUuid, kernelParams: [] };
const program = (name: string) => fileURLToPath(new URL(`../../test/fakes/netboot/${name}`, import.meta.url));

let dir: string;
let cable: Cable;
let netboot: RunningNetboot | undefined;
let runs = 0;

async function serve(more: Partial<DhcpSettings> = {}): Promise<RunningNetboot> {
  runs += 1;
  await mkdir(join(dir, `data-${runs}`));
  return start(more);
}

/** Starts netboot with the data of the previous one. */
async function start(more: Partial<DhcpSettings>): Promise<RunningNetboot> {
  const dataDir = join(dir, `data-${runs}`);
  netboot = await startNetboot(cable, {
    dhcp: { ...DHCP, ...more },
    dataDir,
    tftpRoot: dir,
    ramdiskDir: dir,
    decisions: { [MAC]: RAMDISK, [RESERVED]: RAMDISK },
  });
  return netboot;
}

beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'netboot-dhcp-'));
  cable = await createCable(MAC);
});
afterEach(async () => {
  await netboot?.stop();
  netboot = undefined;
  await cable.resetClient();
});
afterAll(async () => {
  await cable.close();
  await rm(dir, { recursive: true, force: true });
});

describe('real DHCP clients', () => {
  async function notesAfter(file: string, start: string): Promise<string> {
    for (const deadline = Date.now() + 20_000; Date.now() < deadline; await sleep(100)) {
      const text = await readFile(file, 'utf8').catch(() => '');
      const line = text.split('\n').find((one) => one.startsWith(start));
      if (line !== undefined) return line;
    }
    throw new Error(`no "${start}" in: ${await readFile(file, 'utf8').catch(() => 'no notes')}`);
  }

  /** With a range of one address, another machine gets it only after a release. */
  const ONE = { dhcpRangeStart: '10.77.0.100', dhcpRangeEnd: '10.77.0.100' };
  async function offerToAnother(): Promise<string | undefined> {
    await cable.resetClient();
    await cable.addressClient('10.77.0.200');
    const [heard] = await ask(cable, [broadcast(dhcpRequest('discover', { mac: RESERVED, flags: 0x8000 }))]);
    return heard?.reply.yiaddr;
  }

  it('udhcpc gets, renews and releases an address', async () => {
    const server = await serve(ONE);
    const notes = join(dir, 'udhcpc.notes');
    const client = cable.start(
      'client',
      ['busybox', 'udhcpc', '-f', '-R', '-i', CLIENT_INTERFACE, '-s', program('lease-script.sh')],
      { env: { ...process.env, NOTES: notes }, stdio: 'ignore' },
    );
    expect(await notesAfter(notes, 'bound')).toBe(
      `bound 10.77.0.100 router=10.77.0.254 boot= server=${SERVER_ADDRESS}`,
    );
    client.kill('SIGUSR1');
    expect(await notesAfter(notes, 'renew')).toContain('renew 10.77.0.100');
    expect(await offerToAnother()).toBeUndefined();
    await cable.run('client', ['ip', 'address', 'add', '10.77.0.100/24', 'dev', CLIENT_INTERFACE]);
    await end(client);
    expect(await offerToAnother()).toBe('10.77.0.100');
    expect(server.sightings.filter(({ kind }) => kind === 'dhcp ack')).toHaveLength(2);
    expect(server.sightings[0]).toMatchObject({ kind: 'dhcp discover', mac: MAC });
  });

  it('dhclient gets an address, renews it in time and after a restart, and releases it', async () => {
    const server = await serve({ ...ONE, dhcpLeaseMs: 6_000 });
    const notes = join(dir, 'dhclient.notes');
    const files = ['-lf', join(dir, 'dhclient.leases'), '-pf', join(dir, 'dhclient.pid')];
    await writeFile(join(dir, 'dhclient.conf'), '');
    const dhclient = (...args: string[]) =>
      cable.run('client', [
        ...['dhclient', '-4', '-v', ...args, '-sf', program('lease-script.sh'), '-e', `NOTES=${notes}`],
        ...['-cf', join(dir, 'dhclient.conf'), ...files, CLIENT_INTERFACE],
      ]);
    expect((await dhclient('-1')).stderr).toContain('bound to 10.77.0.100');
    expect(await notesAfter(notes, 'BOUND')).toContain('router=10.77.0.254');
    expect(await notesAfter(notes, 'RENEW')).toContain('RENEW 10.77.0.100');
    expect((await dhclient('-x')).code).toBe(0);
    expect((await dhclient('-1')).stderr).toMatch(
      /DHCPREQUEST for 10\.77\.0\.100[\s\S]*DHCPACK of 10\.77\.0\.100/,
    );
    expect((await dhclient('-r')).stderr).toContain(
      `DHCPRELEASE of 10.77.0.100 on ${CLIENT_INTERFACE} to ${SERVER_ADDRESS}`,
    );
    expect(server.sightings.filter(({ kind }) => kind === 'dhcp ack').length).toBeGreaterThanOrEqual(3);
    expect(await offerToAnother()).toBe('10.77.0.100');
  });

  it('an unknown client gets nothing', async () => {
    await serve();
    const { code, stderr } = await cable.run('client', [
      ...['busybox', 'udhcpc', '-f', '-n', '-q', '-t', '2', '-T', '1', '-i', CLIENT_INTERFACE],
      ...['-s', '/bin/true', '-x', 'hostname:x', '-C'],
    ]);
    expect(code).toBe(0);
    await cable.run('client', ['ip', 'link', 'set', CLIENT_INTERFACE, 'address', STRANGER]);
    const stranger = await cable.run('client', [
      ...[
        'busybox',
        'udhcpc',
        '-f',
        '-n',
        '-q',
        '-t',
        '2',
        '-T',
        '1',
        '-i',
        CLIENT_INTERFACE,
        '-s',
        '/bin/true',
      ],
    ]);
    await cable.run('client', ['ip', 'link', 'set', CLIENT_INTERFACE, 'address', MAC]);
    expect(stderr).toContain('lease of 10.77.0.100 obtained');
    expect([stranger.code, stranger.stderr]).toEqual([1, expect.stringContaining('no lease')]);
  });
});

it('a declined address is not leased after a restart of the conductor', async () => {
  const first = await serve();
  await cable.addressClient('10.77.0.200');
  const wanted = { 50: addressOption('10.77.0.100'), 54: addressOption(SERVER_ADDRESS) };
  const message = (type: 'discover' | 'request' | 'decline', options = {}) =>
    broadcast(dhcpRequest(type, { mac: MAC, client: CLIENTS.system, flags: 0x8000, options }));
  await ask(cable, [message('discover'), message('request', wanted), message('decline', wanted)]);
  expect(first.log()).toContain('another one uses this address');
  await first.stop();
  await start({});
  const [offer] = await ask(cable, [message('discover')]);
  expect(offer?.reply.yiaddr).toBe('10.77.0.101');
});

describe('hostile and unusual packets', () => {
  it('are outlived', async () => {
    const server = await serve();
    await cable.addressClient('10.77.0.200');
    const good = encodeDhcp(dhcpRequest('discover', { mac: MAC, flags: 0x8000 }));
    const noise = [
      Buffer.alloc(1),
      good.subarray(0, 239),
      good.subarray(0, 245),
      Buffer.concat([good.subarray(0, 240), Buffer.alloc(1200, 52)]),
      Buffer.concat([
        good.subarray(0, 240),
        Buffer.from([82, 255]),
        Buffer.alloc(255, 82),
        Buffer.from([255]),
      ]),
      Buffer.alloc(1472, 0xff),
    ];
    const silent = await ask(
      cable,
      noise.map((packet) => ({ hex: packet.toString('hex'), to: '255.255.255.255', port: 67 })),
    );
    expect(silent.every((heard) => heard === undefined)).toBe(true);
    const [heard] = await ask(cable, [broadcast(dhcpRequest('discover', { mac: MAC, flags: 0x8000 }))]);
    expect(heard?.reply.yiaddr).toBe('10.77.0.100');
    expect(server.log().match(/a DHCP packet was ignored/g)).toHaveLength(1);
  });
});

describe('mode proxy', () => {
  it('offers a boot file on 67 and repeats it on 4011', async () => {
    await serve({ dhcpMode: 'proxy' });
    await cable.addressClient('10.77.0.200');
    const request = dhcpRequest('request', { mac: MAC, client: CLIENTS.uefi, ciaddr: '10.77.0.200' });
    const [offer, ignored, ack] = await ask(cable, [
      broadcast(dhcpRequest('discover', { mac: MAC, client: CLIENTS.uefi, flags: 0x8000 })),
      broadcast(request),
      sentTo(SERVER_ADDRESS, request, 4011),
    ]);
    expect(offer?.reply).toMatchObject({ yiaddr: '0.0.0.0', file: 'snponly.efi', siaddr: SERVER_ADDRESS });
    expect(ignored).toBeUndefined();
    expect(ack?.reply).toMatchObject({ yiaddr: '0.0.0.0', file: 'snponly.efi' });
  });
});
