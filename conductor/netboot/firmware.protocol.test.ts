/**
 * Real firmware in QEMU: SeaBIOS with iPXE in ROM, and UEFI with its own PXE and HTTP boot. Machines mostly wait
 * during a boot, so they run at the same time, each on its own cable.
 */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it, type TestContext } from 'vitest';
import {
  type FirmwareMachine,
  MACHINE_MAC,
  MACHINE_UUID,
  type MachineOptions,
  startMachine,
} from '../../test/fakes/netboot/firmware-machine.ts';
import { type Cable, SERVER_INTERFACE } from '../../test/fakes/netboot/namespaces.ts';
import type { RunningNetboot } from '../../test/fakes/netboot/test-netboot.ts';
import type { BootSighting } from '../domain/boot.ts';

/** For seven emulated machines at a time beside another test file; far above all observed times. */
const LIMIT_MS = 600_000;
const mac = MACHINE_MAC;

/** The machine stops when its test ends. The context is needed because several tests run at the same time. */
async function start({ onTestFinished }: TestContext, options: MachineOptions): Promise<FirmwareMachine> {
  const machine = await startMachine(options);
  onTestFinished(() => machine.close());
  return machine;
}

const boot = async (context: TestContext, options: MachineOptions): Promise<RunningNetboot> =>
  (await start(context, options)).netboot;

const count = ({ sightings }: RunningNetboot, kind: BootSighting['kind']): number =>
  sightings.filter((sighting) => sighting.kind === kind).length;

/** Starts another DHCP server on the same network. */
async function startOtherDhcp(cable: Cable, dir: string): Promise<void> {
  await cable.run('server', ['ip', 'address', 'add', '10.77.0.2/24', 'dev', SERVER_INTERFACE]);
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

/** GRUB from Debian's packages. */
const GRUB = {
  firmware: 'uefi',
  tftpRoot: '/usr/lib/grub/x86_64-efi/monolithic',
  dhcp: { loaders: { 'uefi-x64': 'grubnetx64.efi' } },
} as const;

/** A disk whose loader can be recognised on the console: iPXE, which the network does not serve in these tests. */
async function makeDisk(cable: Cable, dir: string): Promise<void> {
  const image = join(dir, 'disk.img');
  for (const command of [
    `mformat -C -i ${image} -T 65536 ::`,
    `mmd -i ${image} ::/EFI ::/EFI/BOOT`,
    `mcopy -i ${image} /usr/lib/ipxe/snponly.efi ::/EFI/BOOT/BOOTX64.EFI`,
  ]) {
    expect(await cable.run('client', command.split(' '))).toMatchObject({ code: 0, stderr: '' });
  }
}

describe.concurrent('firmware', { timeout: LIMIT_MS }, () => {
  it('iPXE in a BIOS runs the script, and loads it again when the kernel can not be fetched', async (context) => {
    const netboot = await boot(context, { firmware: 'bios' });
    const first = await netboot.sighted('script');
    expect(first).toMatchObject({ mac, detail: 'ramdisk' });
    await netboot.sighted('kernel start');
    await netboot.sightedAgain('script', first);
    expect(count(netboot, 'nbp start')).toBe(0);
  });

  it('UEFI fetches iPXE by TFTP and runs the script', async (context) => {
    const netboot = await boot(context, { firmware: 'uefi' });
    expect(await netboot.sighted('nbp done')).toMatchObject({ mac, detail: 'snponly.efi' });
    expect(await netboot.sighted('script')).toMatchObject({ mac });
  });

  it('UEFI fetches iPXE by HTTP and runs the script', async (context) => {
    const netboot = await boot(context, { firmware: 'uefi http' });
    expect(await netboot.sighted('nbp done')).toMatchObject({ mac, detail: 'snponly.efi' });
    expect(await netboot.sighted('script')).toMatchObject({ mac });
    expect(netboot.log()).not.toContain('TFTP transfer');
  });

  it('UEFI fetches GRUB, and GRUB the kernel; GRUB tries again when the kernel is invalid', async (context) => {
    const kernel = Buffer.alloc(300_000, 'no kernel');
    const prepare = (_: Cable, dir: string) => writeFile(join(dir, 'ramdisk', 'vmlinuz'), kernel);
    const machine = await start(context, { ...GRUB, prepare });
    const { netboot } = machine;
    expect(await netboot.sighted('nbp done')).toMatchObject({ mac, detail: 'grubnetx64.efi' });
    expect(await netboot.sighted('script')).toMatchObject({ mac, detail: 'ramdisk' });
    expect(await netboot.sighted('kernel done')).toMatchObject({
      ...{ nodeUuid: MACHINE_UUID, detail: 'vmlinuz', bytes: kernel.length },
    });
    // The machine's clock is unreliable on a busy host: five seconds may take minutes.
    await machine.says('asking again in 5 s');
  });

  it('GRUB starts the disk of a machine that has its own system', async (context) => {
    const decision = { kind: 'disk', nodeUuid: MACHINE_UUID } as const;
    const machine = await start(context, { ...GRUB, decision, withDisk: true, prepare: makeDisk });
    expect(await machine.netboot.sighted('disk boot')).toMatchObject({ mac });
    await machine.says('iPXE initialising devices');
  });

  it.for(['bios', 'uefi'] as const)(
    '%s boots from us with its address from another',
    async (firmware, context) => {
      const netboot = await boot(context, { firmware, dhcp: { dhcpMode: 'proxy' }, prepare: startOtherDhcp });
      expect(await netboot.sighted('script')).toMatchObject({ mac, detail: 'ramdisk' });
      expect(count(netboot, 'dhcp offer')).toBe(0);
    },
  );
});
