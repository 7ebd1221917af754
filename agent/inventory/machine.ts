/**
 * Reads CPU, memory, firmware and boot mode, from /proc, /sys and dmidecode.
 *
 * docs/decisions/0006-systeminformation.md says why systeminformation is not used.
 */
import { existsSync } from 'node:fs';
import { arch, totalmem } from 'node:os';
import { join } from 'node:path';
import type { Inventory } from '@ingot/shared/agent/inventory.ts';
import type { Run } from '../exec/run.ts';
import { listDirectory, readText } from './sysfs.ts';

/** Node's name of an architecture -> the name in `uname -m`. */
const ARCHITECTURE: Readonly<Record<string, string>> = { x64: 'x86_64', arm64: 'aarch64' };

export function parseCpuinfo(text: string): Inventory['cpu'] {
  const processors = text.split('\n\n').filter((block) => /^processor\s*:/m.test(block));
  const first = processors[0] ?? '';
  const field = (block: string, name: string): string | null =>
    new RegExp(`^${name}\\s*:\\s*(.*)$`, 'm').exec(block)?.[1] ?? null;
  const sockets = new Set(processors.map((block) => field(block, 'physical id')).filter((id) => id !== null));
  return {
    model_name: field(first, 'model name'),
    frequency: field(first, 'cpu MHz'),
    count: processors.length,
    architecture: ARCHITECTURE[arch()] ?? arch(),
    flags: (field(first, 'flags') ?? '').split(' ').filter(Boolean),
    socket_count: sockets.size > 0 ? sockets.size : null,
  };
}

export async function readCpu(tree = '/'): Promise<Inventory['cpu']> {
  return parseCpuinfo((await readText(join(tree, 'proc/cpuinfo'))) ?? '');
}

/** Units of dmidecode in MiB. Its GB is 1024 MiB. */
const UNIT_MIB: Readonly<Record<string, number>> = { kB: 1 / 1024, MB: 1, GB: 1024, TB: 1024 ** 2 };

/** Sum of the memory modules in the output of `dmidecode -t 17`, in MiB; null if it lists none. */
export function parseMemoryModules(text: string): number | null {
  const sizes = [...text.matchAll(/^\s+Size: (\d+) (kB|MB|GB|TB)\s*$/gm)];
  const sum = sizes.reduce(
    (total, [, count, unit]) => total + Number(count) * (UNIT_MIB[unit ?? ''] ?? 0),
    0,
  );
  return sum > 0 ? Math.round(sum) : null;
}

/**
 * Installed memory is read from the firmware's table of modules. Without it, the kernel's memory blocks are added up,
 * which leave out holes. Without those, it is the memory that the kernel uses.
 */
export async function readMemory(run: Run, tree = '/'): Promise<Inventory['memory']> {
  const total = totalmem();
  const modules = parseMemoryModules(await run('dmidecode', ['-t', '17']).catch(() => ''));
  const installed = modules ?? (await memoryBlocksMib(join(tree, 'sys/devices/system/memory')));
  return { total, physical_mb: installed ?? Math.round(total / 1024 ** 2) };
}

async function memoryBlocksMib(root: string): Promise<number | null> {
  const blockBytes = Number.parseInt((await readText(join(root, 'block_size_bytes'))) ?? '', 16);
  const blocks = (await listDirectory(root)).filter((name) => /^memory\d+$/.test(name)).length;
  return Number.isFinite(blockBytes) && blocks > 0 ? Math.round((blockBytes * blocks) / 1024 ** 2) : null;
}

export async function readVendor(tree = '/'): Promise<Inventory['system_vendor']> {
  const text = async (name: string): Promise<string> =>
    (await readText(join(tree, 'sys/class/dmi/id', name))) ?? '';
  return {
    product_name: await text('product_name'),
    serial_number: await text('product_serial'),
    manufacturer: await text('sys_vendor'),
    firmware: {
      vendor: await text('bios_vendor'),
      version: await text('bios_version'),
      build_date: await text('bios_date'),
    },
  };
}

export function currentBootMode(tree = '/'): 'bios' | 'uefi' {
  return existsSync(join(tree, 'sys/firmware/efi')) ? 'uefi' : 'bios';
}
