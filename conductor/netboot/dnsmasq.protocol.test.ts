/**
 * Compares our DHCP answers with dnsmasq's: both get the same requests in the same order, on a network with two
 * addresses, and their answers must be equal except for intended differences.
 */
import type { ChildProcess } from 'node:child_process';
import { access, mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type DhcpMessage, decodeAddress } from '@ingot/shared/codec/dhcp/message.ts';
import { MessageType, messageType, Option } from '@ingot/shared/codec/dhcp/options.ts';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Question } from '../../test/fakes/netboot/ask.ts';
import { ask, broadcast, type Heard, sentTo } from '../../test/fakes/netboot/asking.ts';
import {
  addressOption,
  CLIENTS,
  dhcpRequest,
  type RequestFields,
} from '../../test/fakes/netboot/dhcp-client.ts';
import {
  type Cable,
  CLIENT_INTERFACE,
  createCable,
  end,
  SERVER_ADDRESS,
  SERVER_INTERFACE,
} from '../../test/fakes/netboot/namespaces.ts';
import { DHCP, startNetboot } from '../../test/fakes/netboot/test-netboot.ts';
import type { BootDecision } from '../domain/boot.ts';

const [A, B, C] = ['52:54:00:77:00:0a', '52:54:00:77:00:0b', '52:54:00:77:00:0c'] as const;
const STRANGER = '52:54:00:77:ff:ff';
const [FIRST, SECOND] = ['10.77.0.100', '10.77.0.101'] as const;
const CLIENT = '10.77.0.200';
const RELAY = '10.77.0.250';
const FAR_RELAY = '172.16.0.1';
const nodeUuid = '1be26c0b-03f2-4d2e-ae87-c02d7f33c123';
const RAMDISK: BootDecision = { kind: 'ramdisk', nodeUuid, kernelParams: [] };
const SCRIPT_URL = `${DHCP.httpBaseUrl}/boot/script.ipxe?mac=52-54-00-77-00-0a`;

let dir: string;
let cable: Cable;

beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'netboot-dnsmasq-'));
  await mkdir(join(dir, 'data'));
  cable = await createCable(A);
  await cable.addressClient(CLIENT);
  // One machine plays every client and both relays, so that it receives all answers.
  for (const address of [FIRST, SECOND, RELAY, FAR_RELAY]) {
    await cable.run('client', ['ip', 'address', 'add', `${address}/32`, 'dev', CLIENT_INTERFACE]);
  }
  await cable.run('server', ['ip', 'route', 'add', FAR_RELAY, 'dev', SERVER_INTERFACE]);
});
afterAll(async () => {
  await cable.close();
  await rm(dir, { recursive: true, force: true });
});

const BROADCAST_FLAG = 0x8000;
type Type = Parameters<typeof dhcpRequest>[0];
interface Fields extends Partial<RequestFields> {
  readonly as?: keyof typeof CLIENTS;
}
const message = (type: Type, { as = 'system', mac = A, options = {}, ...more }: Fields = {}): DhcpMessage =>
  dhcpRequest(type, { mac, client: CLIENTS[as], flags: BROADCAST_FLAG, options, ...more });
/** Options 50 and 54: the requested address, and the server that is meant. */
const wanting = (address: string, server?: string) => ({
  50: addressOption(address),
  ...(server === undefined ? {} : { 54: addressOption(server) }),
});
const ofUs = { 54: addressOption(SERVER_ADDRESS) };
const circuit = { 82: [1, 4, 1, 2, 3, 4] };

/**
 * In this order, because each request may change the leases for the following ones. Our own answers are listed, too,
 * because both servers could make the same error.
 */
const QUESTIONS = {
  'BIOS discover': ['offer 10.77.0.100', broadcast(message('discover', { as: 'bios' }))],
  'UEFI discover': ['offer 10.77.0.100', broadcast(message('discover', { as: 'uefi' }))],
  'UEFI HTTP discover': ['offer 10.77.0.100', broadcast(message('discover', { as: 'uefiHttp' }))],
  'iPXE discover': ['offer 10.77.0.100', broadcast(message('discover', { as: 'ipxe' }))],
  'system discover': ['offer 10.77.0.100', broadcast(message('discover'))],
  'client identifier': ['offer 10.77.0.100', broadcast(message('discover', { options: { 61: [1, 9, 9] } }))],
  'stranger discover': ['silence', broadcast(message('discover', { mac: STRANGER }))],
  'stranger request': ['silence', broadcast(message('request', { mac: STRANGER, options: wanting(FIRST) }))],
  'stranger inform': [
    'silence',
    sentTo(SERVER_ADDRESS, message('inform', { mac: STRANGER, ciaddr: CLIENT })),
  ],
  // Sent before there is a lease, because dnsmasq revokes a lease when its machine requests another address or
  // server.
  'request of what was not offered': [
    'nak',
    broadcast(message('request', { options: wanting('10.77.0.77', SERVER_ADDRESS) })),
  ],
  'request to another server': [
    'silence',
    broadcast(message('request', { options: wanting(FIRST, '10.77.0.9') })),
  ],

  'iPXE request': [
    'ack 10.77.0.100',
    broadcast(message('request', { as: 'ipxe', options: wanting(FIRST, SERVER_ADDRESS) })),
  ],
  'request after reboot': ['ack 10.77.0.100', broadcast(message('request', { options: wanting(FIRST) }))],
  renewal: ['ack 10.77.0.100', sentTo(SERVER_ADDRESS, message('request', { ciaddr: FIRST, flags: 0 }))],
  rebinding: ['ack 10.77.0.100', broadcast(message('request', { ciaddr: FIRST, flags: 0 }))],
  'request of another network': ['nak', broadcast(message('request', { options: wanting('192.168.9.9') }))],
  'rebinding of another network': ['nak', broadcast(message('request', { ciaddr: '192.168.9.9' }))],
  'request out of the range': ['nak', broadcast(message('request', { options: wanting('10.77.0.77') }))],
  'request of what another holds': [
    'nak',
    broadcast(message('request', { mac: B, options: wanting(FIRST) })),
  ],

  inform: ['ack', sentTo(SERVER_ADDRESS, message('inform', { ciaddr: CLIENT, flags: 0 }))],
  'UEFI inform': ['ack', sentTo(SERVER_ADDRESS, message('inform', { as: 'uefi', ciaddr: CLIENT, flags: 0 }))],
  'inform without an address': ['silence', broadcast(message('inform'))],

  'relayed discover': [
    'offer 10.77.0.100',
    sentTo(SERVER_ADDRESS, message('discover', { giaddr: RELAY, hops: 1, options: circuit })),
  ],
  'relayed request': [
    'ack 10.77.0.100',
    sentTo(
      SERVER_ADDRESS,
      message('request', {
        giaddr: RELAY,
        hops: 1,
        options: { ...wanting(FIRST, SERVER_ADDRESS), ...circuit },
      }),
    ),
  ],
  'relayed refusal': [
    'nak',
    sentTo(SERVER_ADDRESS, message('request', { giaddr: RELAY, flags: 0, options: wanting('192.168.9.9') })),
  ],
  'relay of another network': ['silence', sentTo(SERVER_ADDRESS, message('discover', { giaddr: FAR_RELAY }))],

  'second discover': ['offer 10.77.0.101', broadcast(message('discover', { mac: B }))],
  'second request': [
    'ack 10.77.0.101',
    broadcast(message('request', { mac: B, options: wanting(SECOND, SERVER_ADDRESS) })),
  ],
  'discover when all are given': ['silence', broadcast(message('discover', { mac: C }))],
  'request when all are given': ['nak', broadcast(message('request', { mac: C, options: wanting(FIRST) }))],
  'release by another': [
    'silence',
    sentTo(SERVER_ADDRESS, message('release', { mac: C, ciaddr: FIRST, options: ofUs })),
  ],
  'discover after release by another': ['silence', broadcast(message('discover', { mac: C }))],
  release: ['silence', sentTo(SERVER_ADDRESS, message('release', { ciaddr: FIRST, options: ofUs }))],
  'discover after release': ['offer 10.77.0.100', broadcast(message('discover', { mac: C }))],
  'request after release': [
    'ack 10.77.0.100',
    broadcast(message('request', { mac: C, options: wanting(FIRST, SERVER_ADDRESS) })),
  ],
  'renewal of what was given on': ['nak', sentTo(SERVER_ADDRESS, message('request', { ciaddr: FIRST }))],
  'decline by another': [
    'silence',
    broadcast(message('decline', { mac: A, options: wanting(FIRST, SERVER_ADDRESS) })),
  ],
  'renewal after decline by another': [
    'ack 10.77.0.100',
    sentTo(SERVER_ADDRESS, message('request', { mac: C, ciaddr: FIRST })),
  ],
  decline: ['silence', broadcast(message('decline', { mac: C, options: wanting(FIRST, SERVER_ADDRESS) }))],
  'discover after decline': ['silence', broadcast(message('discover', { mac: A }))],
} as const satisfies Readonly<Record<string, readonly [ours: string, Question]>>;

/** Reviewed, intended differences: ours / dnsmasq's. */
const INTENDED: Readonly<Record<string, string>> = {
  // A refusal could end the lease that the client has just agreed with the other server (RFC 2131 section 4.3.2).
  'request to another server answer': 'silence / nak',
  // A machine that moved here need not wait for the end of its old lease.
  'rebinding of another network answer': 'nak / silence',
  // An answer to INFORM must not contain a lease time (RFC 2131 section 4.3.5).
  'UEFI inform lease': ' / given',
  'UEFI inform options': '1 3 6 28 53 54 / 1 3 6 28 51 53 54',
  // dnsmasq follows RFC 2131, which RFC 6842 updates, and leaves it out.
  'client identifier client identifier': '010909 / ',
  'client identifier options': '1 3 6 28 51 53 54 58 59 61 / 1 3 6 28 51 53 54 58 59',
};

/**
 * Options around the boot file that we send and dnsmasq sends only when it is configured to: the file name in its
 * option in addition to the header, for firmware that reads only one of them, the server, and what PXE needs to
 * continue at once. The unit tests check these.
 */
const BOOT_OPTIONS: ReadonlySet<number> = new Set([
  Option.vendorSpecific,
  Option.vendorClass,
  Option.tftpServer,
  Option.bootFile,
  Option.machineId,
  Option.ipxe,
]);

const NAMES = new Map<number, string>(Object.entries(MessageType).map(([name, number]) => [number, name]));

function facts(name: string, heard: Heard | undefined): Map<string, string> {
  if (heard === undefined) return new Map([[`${name} answer`, 'silence']]);
  const { reply, port } = heard;
  const option = (code: number) => reply.options.get(code);
  const seconds = (code: number) => option(code)?.readUInt32BE().toString() ?? '';
  const isOffer = messageType(reply) === MessageType.offer;
  const table = {
    answer: [NAMES.get(messageType(reply) ?? 0), ...(reply.yiaddr === '0.0.0.0' ? [] : [reply.yiaddr])].join(
      ' ',
    ),
    port: String(port),
    flags: String(reply.flags),
    // Without a boot file dnsmasq sends its own address here, and we send none.
    siaddr: reply.file === '' ? '' : reply.siaddr,
    ciaddr: reply.ciaddr,
    giaddr: reply.giaddr,
    file: reply.file,
    options: [...reply.options.keys()]
      .filter((code) => !BOOT_OPTIONS.has(code))
      .sort((a, b) => a - b)
      .join(' '),
    server: decodeAddress(option(54)) ?? '',
    mask: decodeAddress(option(1)) ?? '',
    router: decodeAddress(option(3)) ?? '',
    dns: decodeAddress(option(6)) ?? '',
    broadcast: decodeAddress(option(28)) ?? '',
    // dnsmasq also sends the remaining time in an answer to INFORM, and it changes every second.
    lease: reply.yiaddr === '0.0.0.0' && seconds(51) !== '' ? 'given' : seconds(51),
    // In an ACK dnsmasq's times are random, so that machines do not all renew at once.
    T1: isOffer ? seconds(58) : '',
    T2: isOffer ? seconds(59) : '',
    'client identifier': option(61)?.toString('hex') ?? '',
    'relay agent': option(82)?.toString('hex') ?? '',
    // The text may differ.
    message: option(56) === undefined ? '' : 'given',
  };
  return new Map(Object.entries(table).map(([fact, value]) => [`${name} ${fact}`, value]));
}

async function answers(): Promise<Map<string, string>> {
  const names = Object.keys(QUESTIONS);
  const heard = await ask(
    cable,
    Object.values(QUESTIONS).map(([, question]) => question),
  );
  return new Map(names.flatMap((name, i) => [...facts(name, heard[i])]));
}

async function startDnsmasq(): Promise<ChildProcess> {
  const child = cable.start(
    'server',
    [
      ...['dnsmasq', '--keep-in-foreground', '--conf-file=/dev/null', '--port=0', '--leasefile-ro'],
      ...[`--interface=${SERVER_INTERFACE}`, '--bind-interfaces', '--dhcp-authoritative', '--no-ping'],
      ...['--user=root', `--pid-file=${join(dir, 'dnsmasq.pid')}`, '--dhcp-sequential-ip'],
      ...[`--dhcp-range=${FIRST},${SECOND},255.255.255.0,600`, '--dhcp-ignore=tag:!known'],
      ...[A, B, C].map((mac) => `--dhcp-host=${mac},600`),
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
    const isThere = await access(join(dir, 'dnsmasq.pid')).then(
      () => true,
      () => false,
    );
    if (isThere) return child;
  }
  throw new Error('dnsmasq did not start');
}

it('answers like dnsmasq except for intended differences', async () => {
  const netboot = await startNetboot(cable, {
    dhcp: { ...DHCP, dhcpRangeStart: FIRST, dhcpRangeEnd: SECOND },
    dataDir: join(dir, 'data'),
    tftpRoot: dir,
    ramdiskDir: dir,
    decisions: { [A]: RAMDISK, [B]: RAMDISK, [C]: RAMDISK },
  });
  const ours = await answers();
  await netboot.stop();
  const dnsmasq = await startDnsmasq();
  const theirs = await answers();
  await end(dnsmasq);
  const differences = [...new Set([...ours.keys(), ...theirs.keys()])]
    // When only one server answers, report that and not the fields of its answer.
    .filter((fact) => (ours.has(fact) && theirs.has(fact)) || fact.endsWith(' answer'))
    .filter((fact) => ours.get(fact) !== theirs.get(fact))
    .map((fact) => [fact, `${ours.get(fact)} / ${theirs.get(fact)}`]);
  expect(Object.fromEntries(differences)).toEqual(INTENDED);
  for (const [name, [expected]] of Object.entries(QUESTIONS)) {
    expect([name, ours.get(`${name} answer`)]).toEqual([name, expected]);
  }
});
