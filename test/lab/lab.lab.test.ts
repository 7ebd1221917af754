/**
 * The lab without a conductor: BMCs really switch machines on and off, the test operating system boots with both
 * firmwares, and stopping the lab leaves nothing behind.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { run } from '@ingot/ramdisk-build/run.ts';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { buildOsImage, type OsImage } from '../os-image/build.ts';
import { CACHE_DIR } from './ingredients.ts';
import { type Lab, startLab } from './lab.ts';
import { pidsInside } from './ownership.ts';

/** Emulation is slow, so these limits are far above all observed times. */
const WAIT_MS = 240_000;
const OWNER = fileURLToPath(new URL('abandoned-lab.ts', import.meta.url));
const MEBI = 1024 * 1024;
/** Offset after the partitions of the image and before the end of the machine's 1 GiB disk. */
const CONFIG_DRIVE_START = 900 * MEBI;

let lab: Lab;
let image: OsImage;

beforeAll(async () => {
  image = await buildOsImage({
    outDir: join(CACHE_DIR, 'os-image'),
    cacheDir: CACHE_DIR,
    signal: AbortSignal.timeout(WAIT_MS),
  });
  lab = await startLab([
    { name: 'bios', firmware: 'bios', mac: '52:54:00:83:01:0b', diskGb: 1 },
    { name: 'uefi', firmware: 'uefi', mac: '52:54:00:83:01:0e', diskGb: 1 },
  ]);
});
afterAll(() => lab?.stop());

describe('a BMC of the lab', () => {
  it('reports that a new machine is off, and rejects a wrong password', async () => {
    expect(await ipmi('bios', 'chassis', 'power', 'status')).toContain('Chassis Power is off');
    expect(lab.machine('bios').isRunning()).toBe(false);
    const refused = await ipmitool('bios', 'not-the-password', ['chassis', 'power', 'status']);
    expect(refused.code).not.toBe(0);
  });

  it('boots from the network for one start only', async () => {
    const { console, dir } = lab.machine('bios');
    await ipmi('bios', 'chassis', 'bootdev', 'pxe');
    expect(await ipmi('bios', 'chassis', 'bootparam', 'get', '5')).toContain('Force PXE');
    await ipmi('bios', 'chassis', 'power', 'on');
    expect(lab.machine('bios').isRunning()).toBe(true);
    await console.waitFor(/iPXE[\s\S]*52:54:00:83:01:0b/i, { timeoutMs: WAIT_MS });
    await ipmi('bios', 'chassis', 'power', 'off');
    expect(lab.machine('bios').isRunning()).toBe(false);
    await ipmi('bios', 'chassis', 'power', 'on');
    await ipmi('bios', 'chassis', 'power', 'off');
    const calls = readFileSync(join(dir, 'calls.log'), 'utf8').trim().split('\n');
    expect(calls.map((line) => line.replace(/^\d+ /, ''))).toEqual(['on pxe', 'off', 'on none', 'off']);
  });
});

describe.each(['bios', 'uefi'])('the test operating system on a %s machine', (name) => {
  it('boots from disk to its login prompt, with the host name from a config drive partition', async () => {
    const { diskPath, console } = lab.machine(name);
    await run('qemu-img', ['convert', '-n', '--target-is-zero', '-O', 'raw', image.path, diskPath]);
    await addConfigDrive(diskPath, {
      hostname: `by-hand-${name}`,
      public_keys: { lab: 'ssh-ed25519 AAAA lab' },
    });
    await ipmi(name, 'chassis', 'bootdev', 'disk');
    const from = (await console.text()).length;
    const began = Date.now();
    await ipmi(name, 'chassis', 'power', 'on');
    await console.waitFor(new RegExp(`^by-hand-${name} login:`, 'm'), { timeoutMs: WAIT_MS, from });
    process.stdout.write(`${name}: power-on to login in ${((Date.now() - began) / 1000).toFixed(1)} s\n`);
    const shown = (await console.text()).slice(from);
    expect(shown).toContain('config-drive: 1 keys');
    expect(shown).toContain('user-data: #cloud-config');
    expect(shown).toContain(`boot: firmware ${name}`);
    await ipmi(name, 'chassis', 'power', 'off');
    expect(lab.machine(name).isRunning()).toBe(false);
  });
});

describe('the end of a lab', () => {
  it('leaves no process, no namespace and no file', async () => {
    await ipmi('bios', 'chassis', 'power', 'on');
    const pids = await pidsInside(lab.namespace);
    // At least two BMCs and a machine: an empty list would prove nothing.
    expect(pids.length).toBeGreaterThanOrEqual(3);
    await lab.stop();
    await expectNothingLeft(lab.dir, pids);
  });

  it('also happens when its owner is killed', async () => {
    const owner = spawn(process.execPath, [OWNER], { stdio: ['ignore', 'pipe', 'inherit'] });
    const [line] = (await once(owner.stdout, 'data')) as [Buffer];
    const dir = line.toString().trim();
    const pids = await pidsInside(basename(dir));
    expect(pids.length).toBeGreaterThanOrEqual(2);
    owner.kill('SIGKILL');
    await vi.waitFor(() => expectNothingLeft(dir, pids), { timeout: 30_000, interval: 200 });
  });
});

/** A zombie process has an empty command line. */
const isAlive = (pid: number): boolean =>
  existsSync(`/proc/${pid}/cmdline`) && readFileSync(`/proc/${pid}/cmdline`, 'utf8') !== '';

async function expectNothingLeft(dir: string, pids: readonly number[]): Promise<void> {
  expect(pids.filter(isAlive)).toEqual([]);
  expect(await run('ip', ['netns', 'list'])).not.toContain(basename(dir));
  expect(existsSync(dir)).toBe(false);
}

async function ipmi(machine: string, ...command: string[]): Promise<string> {
  const { code, output } = await ipmitool(machine, lab.machine(machine).bmc.password, command);
  if (code !== 0) throw new Error(`ipmitool ${command.join(' ')} ended with code ${code}: ${output}`);
  return output;
}

function ipmitool(machine: string, password: string, command: readonly string[]) {
  const { address, port, username } = lab.machine(machine).bmc;
  const session = ['-I', 'lanplus', '-C', '3', '-H', address, '-p', String(port), '-U', username, '-E'];
  return lab.run('ipmitool', [...session, ...command], { env: { IPMITOOL_PASSWORD: password } });
}

/** As in OpenStack: an ISO 9660 file system with the label config-2 in a partition of that name. */
async function addConfigDrive(disk: string, metaData: object): Promise<void> {
  const tree = `${disk}-config-2`;
  const latest = join(tree, 'openstack/latest');
  await mkdir(latest, { recursive: true });
  await writeFile(join(latest, 'meta_data.json'), JSON.stringify(metaData));
  await writeFile(join(latest, 'user_data'), '#cloud-config\n');
  const iso = `${disk}-config-2.iso`;
  await run('genisoimage', ['-quiet', '-R', '-V', 'config-2', '-o', iso, tree]);
  const first = CONFIG_DRIVE_START / 512;
  // --move-second-header: the backup partition table is at the end of the smaller image.
  await run('sgdisk', ['--move-second-header', `--new=4:${first}:+8M`, '--change-name=4:config-2', disk]);
  await run('dd', [`if=${iso}`, `of=${disk}`, 'bs=1M', `seek=${CONFIG_DRIVE_START / MEBI}`, 'conv=notrunc']);
}
