/**
 * Network cards, from /sys/class/net: those with a device behind them, so no loopback, bridges or bonds.
 */
import { networkInterfaces } from 'node:os';
import { join } from 'node:path';
import type { InventoryInterface } from '@ingot/shared/agent/inventory.ts';
import { linkName, listDirectory, readText } from './sysfs.ts';

export async function listInterfaces(root = '/sys/class/net'): Promise<InventoryInterface[]> {
  const addresses = networkInterfaces();
  const names = await listDirectory(root);
  const all = await Promise.all(names.map((name) => readInterface(root, name, addresses[name] ?? [])));
  return all.filter((one) => one !== undefined);
}

async function readInterface(
  root: string,
  name: string,
  addresses: readonly { readonly family: string; readonly address: string }[],
): Promise<InventoryInterface | undefined> {
  const at = (file: string): string => join(root, name, file);
  const mac = await readText(at('address'));
  if (mac === null || (await linkName(at('device/subsystem'))) === null) return undefined;
  const speed = Number(await readText(at('speed')));
  return {
    name,
    mac_address: mac.toLowerCase(),
    ipv4_address: addresses.find(({ family }) => family === 'IPv4')?.address ?? null,
    ipv6_address: addresses.find(({ family }) => family === 'IPv6')?.address ?? null,
    has_carrier: (await readText(at('carrier'))) === '1',
    lldp: null,
    vendor: await readText(at('device/vendor')),
    product: await readText(at('device/device')),
    client_id: null,
    biosdevname: null,
    speed_mbps: Number.isFinite(speed) && speed > 0 ? speed : null,
    pci_address: await linkName(at('device')),
    driver: await linkName(at('device/driver')),
  };
}
