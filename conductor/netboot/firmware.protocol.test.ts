/** Real firmware in QEMU on the client's end: SeaBIOS with iPXE in ROM, and UEFI with its own PXE and HTTP boot. */
import { copyFile, mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Cable, createCable, SERVER_INTERFACE } from '../../test/fakes/netboot/namespaces.ts';
import { DHCP, type RunningNetboot, startNetboot } from '../../test/fakes/netboot/netboot-rig.ts';
import type { BootSighting } from '../domain/boot.ts';

const MAC = '52:54:00:79:00:0a';
const nodeUuid = '1be26c0b-03f2-4d2e-ae87-c02d7f33c123';
const LIMIT_MS = 240_000;

let dir: string;
let cable: Cable;
let netboot: RunningNetboot;

beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'netboot-firmware-'));
  await mkdir(join(dir, 'data'));
  await mkdir(join(dir, 'ramdisk'));
  cable = await createCable('52:54:00:79:ff:01');
  for (const command of [
    'ip link add bridge0 type bridge',
    'ip tuntap add tap0 mode tap',
    'ip link set boot0 master bridge0',
    'ip link set tap0 master bridge0',
    'ip link set tap0 up',
    'ip link set bridge0 up',
  ]) {
    expect(await cable.run('client', command.split(' '))).toMatchObject({ code: 0 });
  }
});
afterEach(async () => {
  await netboot?.stop();
  await cable.close();
  await rm(dir, { recursive: true, force: true });
});

/** UEFI without the card's ROM, which holds iPXE: its own PXE is what is tried. */
async function boot(firmware: 'bios' | 'uefi', mode: 'reservation' | 'proxy'): Promise<void> {
  netboot = await startNetboot(cable, {
    dhcp: { ...DHCP, mode },
    dataDir: join(dir, 'data'),
    tftpRoot: '/usr/lib/ipxe',
    // Empty: the kernel is asked for and is not there, which is as far as firmware goes.
    ramdiskDir: join(dir, 'ramdisk'),
    decisions: { [MAC]: { kind: 'ramdisk', nodeUuid, kernelParams: [] } },
  });
  const flash = join(dir, 'vars.fd');
  await copyFile('/usr/share/OVMF/OVMF_VARS_4M.fd', flash);
  const uefi = [
    ...['-drive', 'if=pflash,unit=0,format=raw,readonly=on,file=/usr/share/OVMF/OVMF_CODE_4M.fd'],
    ...['-drive', `if=pflash,unit=1,format=raw,file=${flash}`],
  ];
  cable.start(
    'client',
    [
      ...['nice', '-n', '5', 'qemu-system-x86_64', '-M', 'q35', '-accel', 'tcg', '-m', '512', '-nodefaults'],
      ...['-display', 'none', '-serial', `file:${join(dir, 'console')}`, '-device', 'virtio-rng-pci'],
      ...['-netdev', 'tap,id=n,ifname=tap0,script=no,downscript=no'],
      ...[
        '-device',
        `virtio-net-pci,netdev=n,mac=${MAC},bootindex=1${firmware === 'uefi' ? ',romfile=' : ''}`,
      ],
      ...(firmware === 'uefi' ? uefi : []),
    ],
    { stdio: 'ignore' },
  );
}

const count = (kind: BootSighting['kind']): number =>
  netboot.sightings.filter((sighting) => sighting.kind === kind).length;

/** The DHCP server that was there before us. */
function startOtherDhcp(): void {
  cable.start(
    'server',
    [
      ...[
        'dnsmasq',
        '--keep-in-foreground',
        '--conf-file=/dev/null',
        '--port=0',
        '--leasefile-ro',
        '--no-ping',
      ],
      ...[`--interface=${SERVER_INTERFACE}`, '--user=root', `--pid-file=${join(dir, 'dnsmasq.pid')}`],
      ...['--listen-address=10.77.0.2', '--bind-interfaces', '--dhcp-range=10.77.0.150,10.77.0.160,600'],
    ],
    { stdio: 'ignore' },
  );
}

describe('firmware', { timeout: LIMIT_MS }, () => {
  it('iPXE in a BIOS comes to the script, and asks anew when the kernel cannot be had', async () => {
    await boot('bios', 'reservation');
    expect(await netboot.sighted('script')).toMatchObject({ mac: MAC, detail: 'ramdisk' });
    await netboot.sighted('kernel start');
    const [first] = netboot.sightings.filter(({ kind }) => kind === 'script');
    await netboot.sightedAgain('script', first!);
    expect(count('nbp start')).toBe(0);
  });

  it('UEFI fetches iPXE by TFTP and comes to the script', async () => {
    await boot('uefi', 'reservation');
    expect(await netboot.sighted('nbp done')).toMatchObject({ mac: MAC, detail: 'snponly.efi' });
    expect(await netboot.sighted('script')).toMatchObject({ mac: MAC });
  });

  it.each(['bios', 'uefi'] as const)('%s boots from us with its address from another', async (firmware) => {
    await cable.run('server', ['ip', 'address', 'add', '10.77.0.2/24', 'dev', SERVER_INTERFACE]);
    startOtherDhcp();
    await boot(firmware, 'proxy');
    expect(await netboot.sighted('script')).toMatchObject({ mac: MAC, detail: 'ramdisk' });
    expect(count('dhcp offer')).toBe(0);
  });
});
