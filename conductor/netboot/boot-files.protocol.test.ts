/** TFTP and HTTP with common clients in network namespaces; the files must arrive byte for byte. */
import { mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  type Cable,
  CLIENT_INTERFACE,
  createCable,
  SERVER_ADDRESS,
} from '../../test/fakes/netboot/namespaces.ts';
import { DHCP, type RunningNetboot, startNetboot } from '../../test/fakes/netboot/test-netboot.ts';

const MAC = '52:54:00:78:00:0a';
const nodeUuid = '1be26c0b-03f2-4d2e-ae87-c02d7f33c123';
const HTTP = DHCP.httpBaseUrl;
const bytes = (length: number): Buffer =>
  Buffer.from(Uint8Array.from({ length }, (_, i) => (i * 2654435761) >>> 13));
/** Sizes at the limits of blocks of 512 and 1468 bytes, and one beyond 65,535 blocks of 512 bytes. */
const FILES: Readonly<Record<string, Buffer>> = {
  empty: bytes(0),
  'one.bin': bytes(512),
  'edge.bin': bytes(1468 * 16),
  'snponly.efi': bytes(174_000),
  'large.bin': bytes(4 * 1024 * 1024 + 1),
};

let dir: string;
let cable: Cable;
let netboot: RunningNetboot;

beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'netboot-files-'));
  for (const name of ['data', 'tftp', 'ramdisk', 'got']) await mkdir(join(dir, name));
  for (const [name, data] of Object.entries(FILES)) await writeFile(join(dir, 'tftp', name), data);
  await writeFile(join(dir, 'tftp', 'long.bin'), bytes(34_000_000).subarray(0, 33_554_000));
  await writeFile(join(dir, 'ramdisk', 'vmlinuz'), bytes(5_000_000));
  await writeFile(join(dir, 'secret'), 'secret');
  await symlink('../secret', join(dir, 'tftp', 'outside'));
  cable = await createCable(MAC);
  netboot = await startNetboot(cable, {
    dhcp: DHCP,
    dataDir: join(dir, 'data'),
    tftpRoot: join(dir, 'tftp'),
    // Some of the clients send no options.
    plainRequests: true,
    ramdiskDir: join(dir, 'ramdisk'),
    decisions: { [MAC]: { kind: 'ramdisk', nodeUuid, kernelParams: [] } },
  });
  // TFTP needs a lease to know the machine of an address.
  const lease = await cable.run('client', [
    ...['busybox', 'udhcpc', '-f', '-n', '-q', '-i', CLIENT_INTERFACE, '-s', '/bin/true'],
  ]);
  expect(lease.stderr).toContain('lease of 10.77.0.100 obtained');
  await cable.addressClient('10.77.0.100');
});
afterAll(async () => {
  await netboot?.stop();
  await cable?.close();
  await rm(dir, { recursive: true, force: true });
});

type Fetch = (name: string, to: string) => readonly string[];
const TFTP_CLIENTS: Readonly<Record<string, Fetch>> = {
  curl: (name, to) => ['curl', '-sS', '--tftp-blksize', '1468', '-o', to, `tftp://${SERVER_ADDRESS}/${name}`],
  'curl without options': (name, to) => [
    ...['curl', '-sS', '--tftp-no-options', '-o', to, `tftp://${SERVER_ADDRESS}/${name}`],
  ],
  'tftp-hpa': (name, to) => ['tftp', '-m', 'binary', SERVER_ADDRESS, '-c', 'get', name, to],
  atftp: (name, to) => [
    ...['atftp', '--option', 'blksize 1468', '--option', 'windowsize 16'],
    ...['-g', '-r', name, '-l', to, SERVER_ADDRESS],
  ],
  busybox: (name, to) => ['busybox', 'tftp', '-g', '-r', name, '-l', to, SERVER_ADDRESS],
};

describe.each(Object.entries(TFTP_CLIENTS))('TFTP with %s', (client, command) => {
  const to = (name: string) => join(dir, 'got', `${client.replaceAll(' ', '-')}-${name}`);

  it.each(Object.keys(FILES).filter((name) => name !== 'empty'))('fetches %s whole', async (name) => {
    const ran = await cable.run('client', command(name, to(name)));
    expect([ran.code, ran.stderr.replace(/.*\r/g, '')]).toMatchObject([0, expect.any(String)]);
    expect((await readFile(to(name))).equals(FILES[name]!)).toBe(true);
  });

  it.each(['outside', '../secret', 'absent'])('gets an error for %s', async (name) => {
    await cable.run('client', command(name, to('nothing')));
    const got = await readFile(to('nothing'), 'utf8').catch(() => '');
    expect(got).toBe('');
  });
});

describe('TFTP', () => {
  it('continues after 65,535 blocks', async () => {
    const to = join(dir, 'got', 'long.bin');
    const command = ['curl', '-sS', '--tftp-blksize', '512', '-o', to, `tftp://${SERVER_ADDRESS}/long.bin`];
    expect((await cable.run('client', command)).stderr).toBe('');
    expect((await readFile(to)).equals(await readFile(join(dir, 'tftp', 'long.bin')))).toBe(true);
  });

  it('records which machine fetches a boot program', async () => {
    await cable.run('client', TFTP_CLIENTS['curl']!('snponly.efi', join(dir, 'got', 'seen')));
    expect(await netboot.sighted('nbp start')).toMatchObject({ mac: MAC });
    const done = netboot.sightings.find(
      ({ kind, detail }) => kind === 'nbp done' && detail === 'snponly.efi',
    );
    expect(done).toMatchObject({ mac: MAC, bytes: 174_000 });
  });

  it('takes nothing', async () => {
    const upload = join(dir, 'upload');
    await writeFile(upload, 'mine');
    const put = await cable.run('client', ['curl', '-sS', '-T', upload, `tftp://${SERVER_ADDRESS}/upload`]);
    expect(put.code).not.toBe(0);
    await expect(readFile(join(dir, 'tftp', 'upload'))).rejects.toThrow('ENOENT');
  });
});

describe('HTTP', () => {
  it('serves script, kernel and boot program to curl', async () => {
    const get = (path: string, ...args: string[]) =>
      cable.run('client', ['curl', '-sS', ...args, `${HTTP}${path}`]);
    expect((await get('/boot/script.ipxe?mac=52-54-00-78-00-0a')).stdout).toContain(
      `/boot/${nodeUuid}/vmlinuz`,
    );
    const to = join(dir, 'got', 'vmlinuz');
    await get(`/boot/${nodeUuid}/vmlinuz`, '-o', to);
    expect((await readFile(to)).equals(bytes(5_000_000))).toBe(true);
    expect((await get('/boot/nbp/snponly.efi', '-o', to)).code).toBe(0);
    expect((await readFile(to)).equals(FILES['snponly.efi']!)).toBe(true);
    expect(await netboot.sighted('kernel done')).toMatchObject({ nodeUuid, bytes: 5_000_000 });
    expect((await get('/boot/nbp/%2e%2e%2fsecret')).stdout).not.toContain('secret');
  });

  it('continues an interrupted transfer', async () => {
    const to = join(dir, 'got', 'resumed');
    await writeFile(to, bytes(5_000_000).subarray(0, 1_234_567));
    const ran = await cable.run('client', [
      'curl',
      '-sS',
      '-C',
      '-',
      '-o',
      to,
      `${HTTP}/boot/${nodeUuid}/vmlinuz`,
    ]);
    expect(ran.code).toBe(0);
    expect((await readFile(to)).equals(bytes(5_000_000))).toBe(true);
  });
});
