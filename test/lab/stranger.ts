/**
 * A stranger on the lab's network: a virtual machine that nobody enrolled, with tools and no secrets. Its system is the
 * deploy ramdisk with another first process, which runs the shell commands that the test sends.
 */
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { encodeCpio } from '@ingot/ramdisk-build/cpio.ts';
import { createConsole } from './console.ts';
import type { Lab } from './lab.ts';

export const STRANGER_ADDRESS = '10.83.0.66';
const START_LIMIT_MS = 600_000;
const COMMAND_LIMIT_MS = 120_000;
/** The kernel takes the archives of an initramfs one after the other, each at a multiple of four bytes. */
const ALIGNMENT = 4;

const FIRST_PROCESS = `#!/bin/busybox sh
/bin/busybox mkdir -p /proc /sys /dev /usr/lib/busybox /www/cgi-bin
/bin/busybox --install -s /usr/lib/busybox
export PATH=/usr/sbin:/usr/bin:/sbin:/bin:/usr/lib/busybox
mount -t proc proc /proc
mount -t sysfs sysfs /sys
mount -t devtmpfs devtmpfs /dev
find /sys/devices -name modalias -type f -print0 | xargs -0 sort -u | xargs -r /sbin/modprobe -a -q -b 2>/dev/null
/sbin/modprobe -a -q virtio_net 2>/dev/null
for card in /sys/class/net/*; do
  [ -e "$card/device" ] || continue
  ip link set "\${card##*/}" up
  ip addr add ${STRANGER_ADDRESS}/24 dev "\${card##*/}"
done
httpd -p 80 -h /www
echo "stranger: ready" > /dev/console
while :; do sleep 3600; done
`;
/** Runs the body of the request. */
const RUN = `#!/bin/busybox sh
echo "Content-Type: text/plain"
echo
export PATH=/usr/sbin:/usr/bin:/sbin:/bin:/usr/lib/busybox
head -c "$CONTENT_LENGTH" > /tmp/orders
sh /tmp/orders 2>&1
`;

export interface Stranger {
  /** Runs shell commands in the machine; returns all that they print. */
  run(commands: string): Promise<string>;
}

/** `tap` is a network card of the lab that none of its machines has. */
export async function startStranger(lab: Lab, ramdiskDir: string, tap: string): Promise<Stranger> {
  const initrd = join(lab.dir, 'stranger.img');
  const overlay = encodeCpio([
    { kind: 'file', path: 'stranger', mode: 0o755, data: Buffer.from(FIRST_PROCESS) },
    { kind: 'file', path: 'www/cgi-bin/run', mode: 0o755, data: Buffer.from(RUN) },
  ]);
  const ramdisk = await readFile(join(ramdiskDir, 'ramdisk.img'));
  const padding = Buffer.alloc(-ramdisk.length & (ALIGNMENT - 1));
  await writeFile(initrd, Buffer.concat([ramdisk, padding, overlay]));
  const consolePath = join(lab.dir, 'stranger.log');
  lab.spawn('qemu-system-x86_64', [
    ...['-name', 'stranger', '-M', 'q35,graphics=off', '-accel', 'tcg', '-cpu', 'max', '-m', '1024'],
    ...['-nodefaults', '-display', 'none', '-serial', `file:${consolePath}`],
    ...['-kernel', join(ramdiskDir, 'vmlinuz'), '-initrd', initrd],
    ...['-append', 'console=ttyS0 rdinit=/stranger'],
    ...['-netdev', `tap,id=n0,ifname=${tap},script=no,downscript=no`],
    ...['-device', 'virtio-net-pci,netdev=n0,mac=52:54:00:83:00:66,romfile='],
  ]);
  await createConsole(consolePath).waitFor(/stranger: ready/, { timeoutMs: START_LIMIT_MS });
  return {
    async run(commands) {
      const url = `http://${STRANGER_ADDRESS}/cgi-bin/run`;
      const { output } = await lab.run('busybox', ['wget', '-q', '-O', '-', '--post-data', commands, url], {
        timeoutMs: COMMAND_LIMIT_MS,
      });
      return output;
    },
  };
}
