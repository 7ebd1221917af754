/**
 * CPU, memory, firmware and boot mode, from /proc and /sys.
 *
 * systeminformation is not used here: decision 0006.
 */
import { existsSync } from 'node:fs';
import { arch, totalmem } from 'node:os';
import { join } from 'node:path';
import type { Inventory } from '@ingot/shared/agent/inventory.ts';
import { listDirectory, readText } from './sysfs.ts';

/** Names as `uname -m` gives them. */
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

export async function readCpu(): Promise<Inventory['cpu']> {
  return parseCpuinfo((await readText('/proc/cpuinfo')) ?? '');
}

/** Installed memory is the sum of the memory blocks the firmware reports; without them what the kernel has. */
export async function readMemory(root = '/sys/devices/system/memory'): Promise<Inventory['memory']> {
  const total = totalmem();
  const blockBytes = Number.parseInt((await readText(join(root, 'block_size_bytes'))) ?? '', 16);
  const blocks = (await listDirectory(root)).filter((name) => /^memory\d+$/.test(name)).length;
  const installed = Number.isFinite(blockBytes) && blocks > 0 ? blockBytes * blocks : total;
  return { total, physical_mb: Math.round(installed / 1024 ** 2) };
}

export async function readVendor(root = '/sys/class/dmi/id'): Promise<Inventory['system_vendor']> {
  const text = async (name: string): Promise<string> => (await readText(join(root, name))) ?? '';
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

export function currentBootMode(): 'bios' | 'uefi' {
  return existsSync('/sys/firmware/efi') ? 'uefi' : 'bios';
}
