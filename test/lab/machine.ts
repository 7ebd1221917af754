/**
 * A virtual server: a directory with everything that its BMC needs to start it.
 */
import { randomUUID } from 'node:crypto';
import { copyFile, mkdir, truncate, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const HERE = dirname(fileURLToPath(import.meta.url));
const OVMF = '/usr/share/OVMF';
const GIB = 1024 ** 3;
/** Without graphics, SeaBIOS and iPXE use the serial console. */
const BIOS_MACHINE = 'q35,graphics=off';

export interface MachineSpec {
  readonly name: string;
  readonly firmware: 'bios' | 'uefi';
  readonly mac: string;
  readonly memoryMb?: number;
  readonly diskGb?: number;
  /** Time of the machine's clock at each power-on, `2099-01-01T00:00:00`; by default the right time. */
  readonly clock?: string;
  /** Boot device while the BMC has no other instruction. */
  readonly bootOrder?: 'network-first' | 'disk-first';
}

export interface MachineFiles {
  readonly dir: string;
  readonly uuid: string;
  readonly diskPath: string;
  readonly consolePath: string;
}

export const BMC_USER = 'admin';
export const BMC_PASSWORD = 'lab-password';

export async function writeMachine(
  dir: string,
  spec: MachineSpec,
  tap: string,
  bmcPort: number,
): Promise<MachineFiles> {
  await mkdir(join(dir, 'state'), { recursive: true });
  const uuid = randomUUID();
  const diskPath = join(dir, 'disk.raw');
  await writeFile(diskPath, '');
  await truncate(diskPath, (spec.diskGb ?? 6) * GIB);
  if (spec.firmware === 'uefi') await copyFile(`${OVMF}/OVMF_VARS_4M.fd`, join(dir, 'vars.fd'));
  const consolePath = join(dir, 'console.log');
  await writeFile(
    join(dir, 'qemu.args'),
    `${qemuArguments(dir, spec, { tap, uuid, diskPath, consolePath }).join('\n')}\n`,
  );
  // UEFI without bootindex follows the boot entries in its own variables, like real firmware.
  const order = spec.bootOrder ?? 'disk-first';
  const [network, disk] = order === 'network-first' ? [1, 2] : [2, 1];
  const free = spec.firmware === 'uefi' && order === 'disk-first';
  await writeFile(join(dir, 'boot-order'), free ? 'network=\ndisk=\n' : `network=${network}\ndisk=${disk}\n`);
  await writeFile(join(dir, 'lan.conf'), lanConfiguration(dir, uuid, bmcPort));
  await writeFile(
    join(dir, 'bmc.emu'),
    'mc_setbmc 0x20\nmc_add 0x20 0 no-device-sdrs 0x23 9 8 0x9f 0x1291 0xf02\nmc_enable 0x20\n',
  );
  return { dir, uuid, diskPath, consolePath };
}

function qemuArguments(
  dir: string,
  spec: MachineSpec,
  { tap, uuid, diskPath, consolePath }: { tap: string; uuid: string; diskPath: string; consolePath: string },
): string[] {
  const firmware =
    spec.firmware === 'bios'
      ? []
      : [
          '-drive',
          `if=pflash,format=raw,unit=0,readonly=on,file=${OVMF}/OVMF_CODE_4M.fd`,
          '-drive',
          `if=pflash,format=raw,unit=1,file=${join(dir, 'vars.fd')}`,
          // The lab has no IPv6; otherwise the firmware would wait for it after every failed network boot.
          '-fw_cfg',
          'name=opt/org.tianocore/IPv6PXESupport,string=n',
        ];
  return [
    ...['-name', spec.name, '-M', spec.firmware === 'bios' ? BIOS_MACHINE : 'q35'],
    ...['-accel', 'tcg,thread=multi', '-cpu', 'max', '-smp', '2'],
    ...['-m', String(spec.memoryMb ?? 1024), '-nodefaults', '-display', 'none', '-daemonize'],
    ...['-pidfile', join(dir, 'qemu.pid')],
    ...(spec.clock === undefined ? [] : ['-rtc', `base=${spec.clock},clock=vm`]),
    ...firmware,
    ...['-chardev', `file,id=c0,path=${consolePath},append=on`, '-serial', 'chardev:c0'],
    ...['-object', 'rng-random,id=rng0,filename=/dev/urandom', '-device', 'virtio-rng-pci,rng=rng0'],
    // QEMU gives the card its boot ROM: efi-virtio.rom of Debian's ipxe-qemu, which has iPXE for both firmwares.
    ...['-netdev', `tap,id=n0,ifname=${tap},script=no,downscript=no`],
    ...['-device', `virtio-net-pci,netdev=n0,mac=${spec.mac}@NETWORK@`],
    ...['-drive', `if=none,id=d0,file=${diskPath},format=raw,cache=unsafe,discard=unmap,detect-zeroes=unmap`],
    ...['-device', 'virtio-blk-pci,drive=d0,serial=LABDISK0@DISK@'],
    ...['-smbios', `type=1,manufacturer=Ingot,product=Lab,serial=${spec.name},uuid=${uuid}`],
  ];
}

function lanConfiguration(dir: string, uuid: string, port: number): string {
  const allowed = ['callback', 'user', 'operator', 'admin'].map(
    (level) => `    allowed_auths_${level} none md2 md5 straight`,
  );
  return [
    'name "lab"',
    'set_working_mc 0x20',
    '  startlan 1',
    `    addr 127.0.0.1 ${port}`,
    '    priv_limit admin',
    ...allowed,
    `    guid ${uuid.replaceAll('-', '')}`,
    `    lan_config_program "${join(HERE, 'lan.sh')} ${dir}"`,
    '  endlan',
    `  chassis_control "${join(HERE, 'chassis.sh')} ${dir}"`,
    '  startnow false',
    '  user 1 false "" "test" user 10 none md2 md5 straight',
    `  user 2 true "${BMC_USER}" "${BMC_PASSWORD}" admin 10 none md2 md5 straight`,
    '',
  ].join('\n');
}
