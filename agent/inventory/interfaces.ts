/**
 * Network cards, from /sys/class/net: those with a device behind them, so no loopback, bridges or bonds.
 */
import { realpath } from 'node:fs/promises';
import { networkInterfaces } from 'node:os';
import { join } from 'node:path';
import type { InventoryInterface } from '@ingot/shared/agent/inventory.ts';
import { linkName, listDirectory, readText } from './sysfs.ts';

type Addresses = Readonly<
  Record<string, readonly { readonly family: string; readonly address: string }[] | undefined>
>;

/** Domain, bus, device and function, as the kernel names PCI functions. */
const PCI_FUNCTION = /^[0-9a-f]{4,}:[0-9a-f]{2}:[0-9a-f]{2}\.[0-7]$/;
/** Devices of these buses lie inside a PCI function that is the card; a USB card lies behind a PCI controller that is not. */
const INSIDE_PCI: readonly (string | null)[] = ['virtio', 'auxiliary'];

/** @param tree root of the file tree with `sys` in it. */
export async function listInterfaces(
  tree = '/',
  addresses: Addresses = networkInterfaces(),
): Promise<InventoryInterface[]> {
  const root = join(tree, 'sys/class/net');
  const names = await listDirectory(root);
  const all = await Promise.all(names.map((name) => readInterface(root, name, addresses[name] ?? [])));
  return all.filter((one) => one !== undefined);
}

async function readInterface(
  root: string,
  name: string,
  addresses: NonNullable<Addresses[string]>,
): Promise<InventoryInterface | undefined> {
  const at = (file: string): string => join(root, name, file);
  const mac = await readText(at('address'));
  const bus = await linkName(at('device/subsystem'));
  if (mac === null || bus === null) return undefined;
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
    pci_address: await pciAddress(at('device'), bus),
    driver: await linkName(at('device/driver')),
  };
}

/** The card's own PCI function; null when it is not on PCI. */
async function pciAddress(device: string, bus: string): Promise<string | null> {
  const [own, parent] = (await realpath(device)).split('/').reverse();
  const name = INSIDE_PCI.includes(bus) ? parent : own;
  return name !== undefined && PCI_FUNCTION.test(name) ? name : null;
}
