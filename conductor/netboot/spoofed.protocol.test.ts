/** Packets whose source can not be answered, which only a raw socket can send: each may cause at most a log line. */
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { encodeDhcp } from '@ingot/shared/codec/dhcp/message.ts';
import { encodeTftp } from '@ingot/shared/codec/tftp.ts';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { CLIENTS, dhcpRequest } from '../../test/fakes/netboot/dhcp-client.ts';
import { type Cable, createCable, SERVER_ADDRESS } from '../../test/fakes/netboot/namespaces.ts';
import { DHCP, type RunningNetboot, startNetboot } from '../../test/fakes/netboot/test-netboot.ts';

const MAC = '52:54:00:7a:00:0a';
const SPOOF = fileURLToPath(new URL('../../test/fakes/netboot/raw-udp.py', import.meta.url));
const CLIENT_ADDRESS = '10.77.0.200';

let dir: string;
let cable: Cable;
let netboot: RunningNetboot;

beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'netboot-spoofed-'));
  for (const name of ['data', 'tftp']) await mkdir(join(dir, name));
  await writeFile(join(dir, 'tftp', 'file'), 'whole');
  cable = await createCable(MAC);
  netboot = await startNetboot(cable, {
    dhcp: { ...DHCP, dhcpMode: 'proxy' },
    dataDir: join(dir, 'data'),
    tftpRoot: join(dir, 'tftp'),
    ramdiskDir: dir,
    decisions: { [MAC]: { kind: 'disk', nodeUuid: '1be26c0b-03f2-4d2e-ae87-c02d7f33c123' } },
  });
  await cable.addressClient(CLIENT_ADDRESS);
});
afterAll(async () => {
  await netboot?.stop();
  await cable?.close();
  await rm(dir, { recursive: true, force: true });
});

const TFTP_REQUEST = encodeTftp({ op: 'rrq', filename: 'file', mode: 'octet', options: new Map() });
const BOOT_REQUEST = encodeDhcp(
  dhcpRequest('request', { mac: MAC, client: CLIENTS.uefi, ciaddr: CLIENT_ADDRESS }),
);
const RELAYED = encodeDhcp(
  dhcpRequest('discover', { mac: MAC, client: CLIENTS.uefi, giaddr: '203.0.113.9' }),
);

it.each([
  ['TFTP from port 0', CLIENT_ADDRESS, 0, 69, TFTP_REQUEST],
  ['TFTP from a network without a route', '203.0.113.9', 2000, 69, TFTP_REQUEST],
  ['TFTP from the address of the broadcast', '10.77.0.255', 2000, 69, TFTP_REQUEST],
  ['TFTP upload from a network without a route', '203.0.113.9', 2001, 69, Buffer.from('\0\x02x\0octet\0')],
  ['the boot server from port 0', CLIENT_ADDRESS, 0, 4011, BOOT_REQUEST],
  ['the boot server from a network without a route', '203.0.113.9', 68, 4011, BOOT_REQUEST],
  ['DHCP through a relay without a route', CLIENT_ADDRESS, 67, 67, RELAYED],
] as const)('%s', async (_name, source, sourcePort, port, packet) => {
  const sent = await cable.run('client', [
    ...['/usr/bin/python3', SPOOF, source, String(sourcePort)],
    ...[SERVER_ADDRESS, String(port), packet.toString('hex')],
  ]);
  expect(sent).toMatchObject({ code: 0, stderr: '' });
  const to = join(dir, 'got');
  const fetched = await cable.run('client', [
    'curl',
    '-sS',
    '-m',
    '5',
    '-o',
    to,
    `tftp://${SERVER_ADDRESS}/file`,
  ]);
  expect(fetched).toMatchObject({ code: 0, stderr: '' });
  expect(await readFile(to, 'utf8')).toBe('whole');
  expect(netboot.process.exitCode).toBeNull();
});
