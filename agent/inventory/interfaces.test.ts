import { expect, it } from 'vitest';
import { makeTree, type TreeEntries } from '../../test/fakes/agent/file-tree.ts';
import { listInterfaces } from './interfaces.ts';

const CLASS_TO_DEVICES = '../../../devices';

/** A network card in /sys: its device directory, and the class entry that links to it. */
function card(
  name: string,
  at: string,
  bus: string,
  attributes: Readonly<Record<string, string>>,
  driver?: string,
): TreeEntries {
  const device = `sys/devices/${at}`;
  const up = '../'.repeat(at.split('/').length + 1);
  const { mac = '', carrier, speed, ...own } = attributes;
  return {
    [`${device}/subsystem`]: { link: `${up}bus/${bus}` },
    ...(driver === undefined ? {} : { [`${device}/driver`]: { link: `${up}bus/${bus}/drivers/${driver}` } }),
    ...Object.fromEntries(Object.entries(own).map(([file, text]) => [`${device}/${file}`, `${text}\n`])),
    [`sys/class/net/${name}/device`]: { link: `${CLASS_TO_DEVICES}/${at}` },
    [`sys/class/net/${name}/address`]: `${mac}\n`,
    ...(carrier === undefined ? {} : { [`sys/class/net/${name}/carrier`]: `${carrier}\n` }),
    ...(speed === undefined ? {} : { [`sys/class/net/${name}/speed`]: `${speed}\n` }),
  };
}

/** Recorded: virtio of QEMU, an Intel card behind a bridge, a Mellanox subfunction, a USB dongle, Hyper-V. */
const TREE: TreeEntries = {
  ...card(
    'enp0s3',
    'pci0000:00/0000:00:03.0/virtio0',
    'virtio',
    { mac: '52:54:00:12:34:56', carrier: '1', speed: '-1', vendor: '0x1af4', device: '0x0001' },
    'virtio_net',
  ),
  ...card(
    'eno1',
    'pci0000:80/0000:80:02.0/0000:81:00.1',
    'pci',
    { mac: 'A0:36:9F:00:00:01', carrier: '0', speed: '25000', vendor: '0x8086', device: '0x158b' },
    'i40e',
  ),
  ...card(
    'sf0',
    'pci0000:00/0000:08:00.0/mlx5_core.sf.2',
    'auxiliary',
    { mac: '02:00:00:00:00:05' },
    'mlx5_core',
  ),
  ...card(
    'enx00e04c',
    'pci0000:00/0000:00:14.0/usb1/1-2/1-2:1.0',
    'usb',
    { mac: '00:e0:4c:00:00:01' },
    'r8152',
  ),
  ...card('eth7', 'LNXSYSTM:00/VMBUS:00/f8615163', 'vmbus', { mac: '00:15:5d:00:00:01' }),
  'sys/class/net/lo/address': '00:00:00:00:00:00\n',
  'sys/class/net/bond0/address': '02:00:00:00:00:09\n',
  'sys/class/net/bonding_masters': 'bond0\n',
};

it('lists cards with a device, with their PCI function', async () => {
  const cards = await listInterfaces(makeTree(TREE), {});
  expect(cards.map((one) => [one.name, one.pci_address, one.driver])).toEqual([
    ['eno1', '0000:81:00.1', 'i40e'],
    ['enp0s3', '0000:00:03.0', 'virtio_net'],
    ['enx00e04c', null, 'r8152'],
    ['eth7', null, null],
    ['sf0', '0000:08:00.0', 'mlx5_core'],
  ]);
});

it('has exactly the keys of ironic-python-agent', async () => {
  const cards = await listInterfaces(makeTree(TREE), {
    enp0s3: [
      { family: 'IPv6', address: 'fe80::5054:ff:fe12:3456' },
      { family: 'IPv4', address: '192.0.2.10' },
    ],
  });
  expect(cards.find(({ name }) => name === 'enp0s3')).toStrictEqual({
    name: 'enp0s3',
    mac_address: '52:54:00:12:34:56',
    ipv4_address: '192.0.2.10',
    ipv6_address: 'fe80::5054:ff:fe12:3456',
    has_carrier: true,
    lldp: null,
    vendor: '0x1af4',
    product: '0x0001',
    client_id: null,
    biosdevname: null,
    speed_mbps: null,
    pci_address: '0000:00:03.0',
    driver: 'virtio_net',
  });
  expect(cards.find(({ name }) => name === 'eno1')).toMatchObject({
    mac_address: 'a0:36:9f:00:00:01',
    ipv4_address: null,
    has_carrier: false,
    speed_mbps: 25_000,
    vendor: '0x8086',
    product: '0x158b',
  });
});

it('is empty without cards', async () => {
  expect(await listInterfaces(makeTree({ 'sys/class/net': { directory: true } }))).toEqual([]);
  expect(await listInterfaces(makeTree({}))).toEqual([]);
});
