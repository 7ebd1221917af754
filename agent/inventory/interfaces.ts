/**
 * Lists network cards, from /sys/class/net. Loopback, bridges and bonds have no device and are left out.
 */
import { realpath } from 'node:fs/promises';
import { networkInterfaces } from 'node:os';
import { join } from 'node:path';
import type { InventoryInterface } from '@ingot/shared/agent/inventory.ts';
import { linkName, listDirectory, readText } from './sysfs.ts';

type Addresses = Readonly<
  Record<string, readonly { readonly family: string; readonly address: string }[] | undefined>
>;

/** The kernel's name of a PCI function: domain, bus, device and function. */
const PCI_FUNCTION = /^[0-9a-f]{4,}:[0-9a-f]{2}:[0-9a-f]{2}\.[0-7]$/;
/** A device of these buses is part of a PCI function, which is the card. A USB card's PCI function is its controller. */
const INSIDE_PCI: readonly (string | null)[] = ['virtio', 'auxiliary'];

/** @param tree the directory that contains `sys`. */
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

/** The card's PCI function; null if it is not a PCI card. */
async function pciAddress(device: string, bus: string): Promise<string | null> {
  const [own, parent] = (await realpath(device)).split('/').reverse();
  const name = INSIDE_PCI.includes(bus) ? parent : own;
  return name !== undefined && PCI_FUNCTION.test(name) ? name : null;
}
