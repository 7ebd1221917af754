/**
 * A machine with real firmware at one end of a virtual cable, and netboot at the other: QEMU with SeaBIOS and iPXE in
 * ROM, or OVMF with its own PXE or HTTP boot (without the card's ROM, which is iPXE). Needs root.
 */
import { copyFile, mkdir, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { BootDecision } from '@ingot/conductor/domain/boot.ts';
import type { DhcpSettings } from '@ingot/conductor/netboot/dhcp-settings.ts';
import { type Cable, createCable } from './namespaces.ts';
import { DHCP, type RunningNetboot, startNetboot } from './test-netboot.ts';

export const MACHINE_MAC = '52:54:00:79:00:0a';
export const MACHINE_UUID = '1be26c0b-03f2-4d2e-ae87-c02d7f33c123';
export const TO_RAMDISK: BootDecision = { kind: 'ramdisk', nodeUuid: MACHINE_UUID, kernelParams: [] };

export type Firmware = 'bios' | 'uefi' | 'uefi http';

export interface MachineOptions {
  readonly firmware: Firmware;
  readonly dhcp?: Partial<DhcpSettings>;
  readonly decision?: BootDecision;
  readonly tftpRoot?: string;
  /** `prepare` has created `disk.img`. */
  readonly withDisk?: true;
  /** Called before anything runs. */
  readonly prepare?: (cable: Cable, dir: string) => Promise<void>;
}

export interface FirmwareMachine {
  readonly netboot: RunningNetboot;
  /** Waits for this text on the serial console, up to the test's time limit. */
  says(words: string): Promise<void>;
  close(): Promise<void>;
}

const LOOK_MS = 250;

/** OVMF tries HTTP only after PXE has failed, which takes minutes, so PXE is disabled. */
const WITHOUT_PXE = ['IPv4PXESupport', 'IPv6PXESupport'].flatMap((name) => [
  ...['-fw_cfg', `name=opt/org.tianocore/${name},string=n`],
]);

const uefi = (flash: string): string[] => [
  ...['-drive', 'if=pflash,unit=0,format=raw,readonly=on,file=/usr/share/OVMF/OVMF_CODE_4M.fd'],
  ...['-drive', `if=pflash,unit=1,format=raw,file=${flash}`],
];

/** Without a place in the boot order, OVMF ignores the disk. */
const disk = (path: string): string[] => [
  ...['-drive', `if=none,id=d,format=raw,file=${path}`, '-device', 'virtio-blk-pci,drive=d,bootindex=2'],
];

const FIRMWARE: Readonly<Record<Firmware, (flash: string) => string[]>> = {
  bios: () => [],
  uefi,
  'uefi http': (flash) => [...uefi(flash), ...WITHOUT_PXE],
};

/** Unless `prepare` puts a kernel into `ramdisk`, the test ends when the firmware requests it. */
export async function startMachine(options: MachineOptions): Promise<FirmwareMachine> {
  const { firmware, decision = TO_RAMDISK, tftpRoot = '/usr/lib/ipxe' } = options;
  const dir = await mkdtemp(join(tmpdir(), 'netboot-firmware-'));
  const cable = await createCable('52:54:00:79:ff:01');
  const ended = new AbortController();
  let netboot: RunningNetboot | undefined;
  async function close(): Promise<void> {
    ended.abort();
    await netboot?.stop();
    await cable.close();
    await rm(dir, { recursive: true, force: true });
  }

  try {
    for (const name of ['data', 'ramdisk']) await mkdir(join(dir, name));
    for (const command of [
      'ip link add bridge0 type bridge',
      'ip tuntap add tap0 mode tap',
      'ip link set boot0 master bridge0',
      'ip link set tap0 master bridge0',
      'ip link set tap0 up',
      'ip link set bridge0 up',
    ]) {
      const { code, stderr } = await cable.run('client', command.split(' '));
      if (code !== 0) throw new Error(`${command}: ${stderr}`);
    }
    await options.prepare?.(cable, dir);
    netboot = await startNetboot(cable, {
      dhcp: { ...DHCP, ...options.dhcp },
      dataDir: join(dir, 'data'),
      tftpRoot,
      ramdiskDir: join(dir, 'ramdisk'),
      decisions: { [MACHINE_MAC]: decision },
    });
    const flash = join(dir, 'vars.fd');
    await copyFile('/usr/share/OVMF/OVMF_VARS_4M.fd', flash);
    const rom = firmware === 'bios' ? '' : ',romfile=';
    cable.start(
      'client',
      [
        ...[
          'nice',
          '-n',
          '5',
          'qemu-system-x86_64',
          '-M',
          'q35',
          '-accel',
          'tcg',
          '-m',
          '512',
          '-nodefaults',
        ],
        ...['-display', 'none', '-serial', `file:${join(dir, 'console')}`, '-device', 'virtio-rng-pci'],
        ...['-netdev', 'tap,id=n,ifname=tap0,script=no,downscript=no'],
        ...['-device', `virtio-net-pci,netdev=n,mac=${MACHINE_MAC},bootindex=1${rom}`],
        ...(options.withDisk ? disk(join(dir, 'disk.img')) : []),
        ...FIRMWARE[firmware](flash),
      ],
      { stdio: 'ignore' },
    );
    const { signal } = ended;
    return {
      netboot,
      close,
      async says(words) {
        while (!(await readFile(join(dir, 'console'), 'latin1')).includes(words)) {
          await sleep(LOOK_MS, undefined, { signal });
        }
      },
    };
  } catch (error) {
    await close();
    throw error;
  }
}
