/**
 * The real efibootmgr with a real GPT disk and a directory of boot variables. Only the mount of the FAT file system
 * is replaced, by mtools.
 */
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import {
  type BootVariable,
  FIRMWARE_PATHS,
  filePath,
  writeBootVariables,
} from '../../test/fakes/agent/firmware-variables.ts';
import { type Run, run } from '../exec/run.ts';
import { listBootEntries } from './boot-entries.ts';
import { installUefiEntry } from './uefi.ts';

const SECTOR = 512;
const ESP_START = 2048;
const OLD_DISK = 'c12a7328f81f11d2ba4b00a0c93ec93b';

const FIRMWARE: readonly BootVariable[] = [
  { number: 0, label: 'UiApp', path: FIRMWARE_PATHS.shell },
  { number: 1, label: 'UEFI PXEv4 (MAC:525400123456)', path: FIRMWARE_PATHS.network },
  { number: 0x1a, label: 'debian', path: filePath(1, OLD_DISK, '\\EFI\\debian\\shimx64.efi') },
  { number: 0x1b, label: 'debian', path: filePath(2, OLD_DISK, '\\EFI\\debian\\grubx64.efi'), active: false },
  { number: 0x1c, label: 'debian', path: FIRMWARE_PATHS.network },
  { number: 0x1d, label: 'Größe 日本', path: filePath(1, OLD_DISK, '\\EFI\\suse\\shim.efi') },
];

/** A disk with these files on its ESP, and boot variables with these entries. */
async function machine(files: Readonly<Record<string, string | Buffer>>, variables = FIRMWARE) {
  const directory = mkdtempSync(join(tmpdir(), 'ingot-uefi-'));
  onTestFinished(() => rmSync(directory, { recursive: true }));
  const shell = (program: string, ...args: string[]): string =>
    execFileSync(program, args, { stdio: ['ignore', 'pipe', 'pipe'] }).toString();
  const image = join(directory, 'disk.img');
  shell('truncate', '-s', '48M', image);
  shell('sgdisk', '-n', `1:${ESP_START}:+32M`, '-t', '1:ef00', image);
  const esp = `${image}@@${ESP_START * SECTOR}`;
  shell('mformat', '-i', esp, '-T', '65536', '-h', '16', '-s', '63', '::');
  for (const [path, contents] of Object.entries(files)) {
    const parts = path.split('/');
    for (let depth = 1; depth < parts.length; depth += 1) {
      try {
        shell('mmd', '-D', 's', '-i', esp, `::${parts.slice(0, depth).join('/')}`);
      } catch {
        // The directory exists already.
      }
    }
    const file = join(directory, 'file');
    writeFileSync(file, contents);
    shell('mcopy', '-i', esp, file, `::${path}`);
  }
  const device = shell('losetup', '-f', '--show', image).trim();
  onTestFinished(() => {
    shell('losetup', '-d', device);
  });
  const efivars = join(directory, 'efivars');
  mkdirSync(efivars);
  writeBootVariables(efivars, variables, { current: 1, next: 1 });

  const programs: Readonly<Record<string, Run>> = {
    efibootmgr: (_, args) =>
      run('env', [`EFIVARFS_PATH=${efivars}/`, 'LIBEFIVAR_OPS=efivarfs', 'efibootmgr', ...args]),
    mount: (_, args) => run('mcopy', ['-s', '-n', '-i', esp, '::*', args.at(-1) ?? '']),
    umount: async (_, [at = '']) => {
      for (const name of readdirSync(at)) rmSync(join(at, name), { recursive: true });
      return '';
    },
  };
  const pretend: Run = (program, args, options) => (programs[program] ?? run)(program, args, options);
  // Checked before anything is written, so that the test can not change the firmware of this machine.
  const { entries } = await listBootEntries(pretend);
  expect(entries.map(({ number }) => Number.parseInt(number, 16))).toEqual(
    variables.map(({ number }) => number),
  );
  return { run: pretend, device, efivars, shell };
}

/** A directory differs from efivarfs: when a variable becomes shorter, its old end remains. */
const shownOrder = (order: readonly string[]): string[] => [...new Set(order)];

const DEBIAN = {
  'EFI/BOOT/BOOTX64.EFI': 'removable',
  'EFI/debian/shimx64.efi': 'shim',
  'EFI/debian/grubx64.efi': 'grub',
  'EFI/debian/BOOTX64.CSV': Buffer.from(
    '\ufeffshimx64.efi,debian,,This is the boot entry for debian\n',
    'utf16le',
  ),
} as const;

describe('boot entry', () => {
  it('is first in the order, and replaces entries with its label that start from a disk', async () => {
    const { run: program, device } = await machine(DEBIAN);
    expect(await installUefiEntry(program, device)).toEqual({
      path: 'EFI/debian/shimx64.efi',
      label: 'debian',
    });
    const { entries, order, current, next } = await listBootEntries(program);
    const made = entries.find(({ number }) => number === order[0]);
    expect(made).toMatchObject({ active: true, label: 'debian' });
    expect(made?.path).toMatch(
      /^HD\(1,GPT,[0-9a-f-]{36},0x800,0x10000\)\/File\(\\EFI\\debian\\shimx64\.efi\)$/,
    );
    expect(made?.path).not.toContain('c12a7328');
    const others = entries.filter((one) => one !== made);
    expect(others.map(({ number }) => number)).toEqual(['0000', '0001', '001C', '001D']);
    expect(shownOrder(order).slice(1)).toEqual(['0000', '0001', '001C', '001D']);
    expect({ current, next }).toEqual({ current: '0001', next: '0001' });
  });

  it('replaces the entry of an earlier call', async () => {
    const { run: program, device } = await machine(DEBIAN);
    await installUefiEntry(program, device);
    const first = await listBootEntries(program);
    await installUefiEntry(program, device);
    const second = await listBootEntries(program);
    expect({ ...second, order: shownOrder(second.order) }).toEqual({
      ...first,
      order: shownOrder(first.order),
    });
  });

  it('is created in firmware that has no entries', async () => {
    const { run: program, device } = await machine({ 'efi/Boot/bootx64.efi': 'x' }, []);
    expect((await installUefiEntry(program, device)).path.toLowerCase()).toBe('efi/boot/bootx64.efi');
    expect((await listBootEntries(program)).order).toHaveLength(1);
  });

  it('gives advice when the variable store is full', async () => {
    const { run: program, device, efivars, shell } = await machine(DEBIAN, []);
    shell('mount', '-t', 'tmpfs', '-o', 'nr_inodes=3,size=64k', 'ingot-test', efivars);
    onTestFinished(() => {
      shell('umount', efivars);
    });
    writeBootVariables(efivars, [FIRMWARE[1]!]);
    await expect(installUefiEntry(program, device)).rejects.toThrow(
      `the firmware's variable store is full (1 boot entries), so there is no room for the entry "debian"`,
    );
  });
});

describe('the written disk', () => {
  it('without a boot loader for this machine is rejected, and the firmware is unchanged', async () => {
    const { run: program, device } = await machine({
      'EFI/debian/shimaa64.efi': 'arm',
      'EFI/readme.txt': 'x',
    });
    const before = await listBootEntries(program);
    await expect(installUefiEntry(program, device)).rejects.toThrow(
      /p1 contains no boot loader for this machine \(searched for EFI\/\*\/{shimx64\.efi,grubx64\.efi,/,
    );
    expect(await listBootEntries(program)).toEqual(before);
  });

  it('without an EFI system partition is rejected', async () => {
    const { run: program, device, shell } = await machine({});
    shell('sgdisk', '-t', '1:8300', device);
    await expect(installUefiEntry(program, device)).rejects.toThrow(/has no EFI system partition/);
  });
});
