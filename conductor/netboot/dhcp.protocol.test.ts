/** DHCP with real clients in network namespaces, and beside dnsmasq: the same questions to both. */
import type { ChildProcess } from 'node:child_process';
import { access, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { type DhcpMessage, decodeAddress, decodeDhcp, encodeDhcp } from '@ingot/shared/codec/dhcp/message.ts';
import { messageType } from '@ingot/shared/codec/dhcp/options.ts';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { Question } from '../../test/fakes/netboot/ask.ts';
import { addressOption, CLIENTS, dhcpRequest } from '../../test/fakes/netboot/dhcp-client.ts';
import {
  type Cable,
  CLIENT_INTERFACE,
  createCable,
  end,
  SERVER_ADDRESS,
  SERVER_INTERFACE,
} from '../../test/fakes/netboot/namespaces.ts';
import { DHCP, type RunningNetboot, startNetboot } from '../../test/fakes/netboot/netboot-rig.ts';
import type { BootDecision } from '../domain/boot.ts';

const MAC = '52:54:00:77:00:0a';
const RESERVED = '52:54:00:77:00:0b';
const STRANGER = '52:54:00:77:ff:ff';
const nodeUuid = '1be26c0b-03f2-4d2e-ae87-c02d7f33c123';
const RAMDISK: BootDecision = { kind: 'ramdisk', nodeUuid, kernelParams: [] };
const SCRIPT_URL = `${DHCP.httpBaseUrl}/boot/script.ipxe?mac=52-54-00-77-00-0a`;
const program = (name: string) => fileURLToPath(new URL(`../../test/fakes/netboot/${name}`, import.meta.url));

let dir: string;
let cable: Cable;
let netboot: RunningNetboot | undefined;
let runs = 0;

async function serve(mode: 'reservation' | 'proxy' = 'reservation'): Promise<RunningNetboot> {
  runs += 1;
  const dataDir = join(dir, `data-${runs}`);
  await mkdir(dataDir);
  netboot = await startNetboot(cable, {
    dhcp: { ...DHCP, mode },
    dataDir,
    tftpRoot: dir,
    ramdiskDir: dir,
    decisions: { [MAC]: RAMDISK, [RESERVED]: RAMDISK },
  });
  return netboot;
}

/** Asks one after the other; undefined where nothing came for a second. */
async function ask(questions: readonly Question[]): Promise<(DhcpMessage | undefined)[]> {
  const { stdout, stderr } = await cable.run('client', [
    process.execPath,
    program('ask.ts'),
    JSON.stringify(questions),
  ]);
  const answers = stdout.trim().split('\n');
  if (answers.length !== questions.length) throw new Error(stderr);
  return answers.map((line) => {
    const hex = JSON.parse(line) as string | null;
    if (hex === null) return undefined;
    const decoded = decodeDhcp(Buffer.from(hex, 'hex'));
    if (!decoded.ok) throw new Error(decoded.reason);
    return decoded.value;
  });
}

const broadcast = (message: DhcpMessage): Question => ({
  hex: encodeDhcp(message).toString('hex'),
  to: '255.255.255.255',
  port: 67,
});

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

  it('udhcpc gets, renews and releases', async () => {
    const server = await serve();
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
    await end(client);
    expect(server.sightings.filter(({ kind }) => kind === 'dhcp ack')).toHaveLength(2);
    expect(server.sightings[0]).toMatchObject({ kind: 'dhcp discover', mac: MAC });
  });

  it('dhclient gets, renews at once when started again, and releases', async () => {
    const server = await serve();
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
    expect((await dhclient('-x')).code).toBe(0);
    expect((await dhclient('-1')).stderr).toMatch(
      /DHCPREQUEST for 10\.77\.0\.100[\s\S]*DHCPACK of 10\.77\.0\.100/,
    );
    expect((await dhclient('-r')).stderr).toContain(
      `DHCPRELEASE of 10.77.0.100 on ${CLIENT_INTERFACE} to ${SERVER_ADDRESS}`,
    );
    expect(server.sightings.filter(({ kind }) => kind === 'dhcp ack').length).toBeGreaterThanOrEqual(2);
  });

  it('a client that may not boot here gets nothing', async () => {
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

describe('beside dnsmasq', () => {
  const BROADCAST_FLAG = 0x8000;
  const from = (client: keyof typeof CLIENTS, mac = MAC) => ({
    mac,
    client: CLIENTS[client],
    flags: BROADCAST_FLAG,
  });
  /** Each is asked of both. */
  const QUESTIONS = {
    'BIOS discover': dhcpRequest('discover', from('bios')),
    'UEFI discover': dhcpRequest('discover', from('uefi')),
    'UEFI HTTP discover': dhcpRequest('discover', from('uefiHttp')),
    'iPXE discover': dhcpRequest('discover', from('ipxe')),
    'system discover': dhcpRequest('discover', from('system')),
    'iPXE request': dhcpRequest('request', {
      ...from('ipxe'),
      options: { 50: addressOption('10.77.0.100'), 54: addressOption(SERVER_ADDRESS) },
    }),
    'request of another network': dhcpRequest('request', {
      ...from('system'),
      options: { 50: addressOption('192.168.9.9') },
    }),
    'request to another server': dhcpRequest('request', {
      ...from('system'),
      options: { 50: addressOption('10.77.0.100'), 54: addressOption('10.77.0.9') },
    }),
    'stranger discover': dhcpRequest('discover', from('system', STRANGER)),
    'client identifier': dhcpRequest('discover', { ...from('system'), options: { 61: [1, 9, 9] } }),
  } as const;

  /** Differences that were looked at and are meant; all else must be equal. Left ours, right dnsmasq's. */
  const INTENDED: Readonly<Record<string, string>> = {
    // We say who we are where the boot file comes from, and leave it out where there is none; dnsmasq names itself always.
    'system discover siaddr': '0.0.0.0 / 10.77.0.1',
    'client identifier siaddr': '0.0.0.0 / 10.77.0.1',
    // The words are free.
    'request of another network message': '192.168.9.9 is not in this network / wrong address',
    // A refusal could end what the client has just agreed with the server it names (RFC 2131 section 4.3.2).
    'request to another server type': 'silence / 6',
    // RFC 6842 came after dnsmasq's rule to leave it out.
    'client identifier client identifier': '010909 / ',
    // dnsmasq puts the boot file into the header only, or in the option when that was asked for; we do both for old firmware and new.
    'BIOS discover option 67': 'undionly.kpxe / ',
    'UEFI discover option 67': 'snponly.efi / ',
    'UEFI HTTP discover option 67': `${DHCP.httpBaseUrl}/boot/nbp/snponly.efi / `,
    'iPXE discover option 67': `${SCRIPT_URL} / `,
    'iPXE request option 67': `${SCRIPT_URL} / `,
  };

  function facts(name: string, reply: DhcpMessage | undefined): Map<string, string> {
    const option = (code: number) => reply?.options.get(code);
    const seconds = (code: number) => option(code)?.readUInt32BE().toString() ?? '';
    const table = {
      type: reply === undefined ? 'silence' : String(messageType(reply)),
      xid: String(reply?.xid ?? ''),
      yiaddr: reply?.yiaddr ?? '',
      siaddr: reply?.siaddr ?? '',
      ciaddr: reply?.ciaddr ?? '',
      file: reply?.file ?? '',
      server: decodeAddress(option(54)) ?? '',
      mask: decodeAddress(option(1)) ?? '',
      router: decodeAddress(option(3)) ?? '',
      dns: decodeAddress(option(6)) ?? '',
      lease: seconds(51),
      T1: seconds(58),
      T2: seconds(59),
      'client identifier': option(61)?.toString('hex') ?? '',
      message: option(56)?.toString('latin1') ?? '',
      'option 67': option(67)?.toString('latin1').replace(/\0$/, '') ?? '',
    };
    return new Map(Object.entries(table).map(([fact, value]) => [`${name} ${fact}`, value]));
  }

  async function answersOf(): Promise<Map<string, string>> {
    const names = Object.keys(QUESTIONS);
    const replies = await ask(Object.values(QUESTIONS).map(broadcast));
    return new Map(names.flatMap((name, i) => [...facts(name, replies[i])]));
  }

  async function startDnsmasq(): Promise<ChildProcess> {
    const child = cable.start(
      'server',
      [
        ...['dnsmasq', '--keep-in-foreground', '--conf-file=/dev/null', '--port=0', '--leasefile-ro'],
        ...[`--interface=${SERVER_INTERFACE}`, '--bind-interfaces', '--dhcp-authoritative', '--no-ping'],
        ...['--user=root', `--pid-file=${join(dir, 'dnsmasq.pid')}`],
        ...['--dhcp-range=10.77.0.100,static,255.255.255.0,600', `--dhcp-host=${MAC},10.77.0.100,600`],
        ...['--dhcp-option=3,10.77.0.254', '--dhcp-option=6,10.77.0.53'],
        ...['--dhcp-match=set:ipxe,175', '--dhcp-match=set:bios,93,0', '--dhcp-match=set:efi,93,7'],
        ...['--dhcp-match=set:http,93,16', '--dhcp-option-force=tag:http,60,HTTPClient'],
        ...[`--dhcp-boot=tag:ipxe,${SCRIPT_URL},,${SERVER_ADDRESS}`],
        ...[`--dhcp-boot=tag:bios,tag:!ipxe,undionly.kpxe,,${SERVER_ADDRESS}`],
        ...[`--dhcp-boot=tag:efi,tag:!ipxe,snponly.efi,,${SERVER_ADDRESS}`],
        ...[`--dhcp-boot=tag:http,${DHCP.httpBaseUrl}/boot/nbp/snponly.efi,,${SERVER_ADDRESS}`],
      ],
      { stdio: ['ignore', 'ignore', 'inherit'] },
    );
    for (const deadline = Date.now() + 5_000; Date.now() < deadline; await sleep(50)) {
      const there = await access(join(dir, 'dnsmasq.pid')).then(
        () => true,
        () => false,
      );
      if (there) return child;
    }
    throw new Error('dnsmasq did not start');
  }

  it('answers the same, but for what is meant', async () => {
    await cable.addressClient('10.77.0.200');
    await serve();
    const ours = await answersOf();
    await netboot?.stop();
    netboot = undefined;
    const dnsmasq = await startDnsmasq();
    const theirs = await answersOf();
    await end(dnsmasq);
    const isSilent = (fact: string): boolean =>
      Object.keys(QUESTIONS).some(
        (name) =>
          fact.startsWith(name) &&
          !fact.endsWith(' type') &&
          [ours, theirs].some((one) => one.get(`${name} type`) === 'silence'),
      );
    const differences = [...ours]
      .filter(([fact, value]) => theirs.get(fact) !== value && !isSilent(fact))
      .map(([fact, value]) => [fact, `${value} / ${theirs.get(fact)}`]);
    expect(Object.fromEntries(differences)).toEqual(INTENDED);
  });
});

describe('hostile and odd packets', () => {
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
      noise.map((packet) => ({ hex: packet.toString('hex'), to: '255.255.255.255', port: 67 })),
    );
    expect(silent.every((reply) => reply === undefined)).toBe(true);
    const [reply] = await ask([broadcast(dhcpRequest('discover', { mac: MAC, flags: 0x8000 }))]);
    expect(reply?.yiaddr).toBe('10.77.0.100');
    expect(server.log().match(/a DHCP packet was passed over/g)).toHaveLength(1);
  });
});

describe('mode proxy', () => {
  it('offers a boot file on 67 and repeats it on 4011', async () => {
    await serve('proxy');
    await cable.addressClient('10.77.0.200');
    const request = dhcpRequest('request', { mac: MAC, client: CLIENTS.uefi, ciaddr: '10.77.0.200' });
    const [offer, ignored, ack] = await ask([
      broadcast(dhcpRequest('discover', { mac: MAC, client: CLIENTS.uefi, flags: 0x8000 })),
      broadcast(request),
      { ...broadcast(request), to: SERVER_ADDRESS, port: 4011 },
    ]);
    expect(offer).toMatchObject({ yiaddr: '0.0.0.0', file: 'snponly.efi', siaddr: SERVER_ADDRESS });
    expect(ignored).toBeUndefined();
    expect(ack).toMatchObject({ yiaddr: '0.0.0.0', file: 'snponly.efi' });
  });
});
