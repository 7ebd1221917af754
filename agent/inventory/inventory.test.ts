import { hostname } from 'node:os';
import { expect, it } from 'vitest';
import { createAgentHardware } from '../../test/fakes/agent/agent-hardware.ts';
import { makeTree } from '../../test/fakes/agent/file-tree.ts';
import { collectInventory } from './inventory.ts';

it('has exactly the parts of ironic-python-agent, each from its reader', async () => {
  const tree = makeTree({
    'proc/cpuinfo': 'processor\t: 0\nmodel name\t: QEMU TCG CPU\n\n',
    'sys/class/dmi/id/product_name': 'Standard PC (Q35 + ICH9, 2009)\n',
    'sys/firmware/efi/fw_platform_size': '64\n',
    'sys/class/block/vda/serial': 'LABDISK0\n',
    'dev/ipmi0': '',
  });
  const { run } = createAgentHardware({
    outputs: {
      lsblk: JSON.stringify({
        blockdevices: [
          {
            path: '/dev/vda',
            type: 'disk',
            size: 8,
            model: null,
            serial: null,
            vendor: null,
            wwn: null,
            ro: false,
          },
        ],
      }),
      'ipmitool lan print 1': 'IP Address              : 192.0.2.7\n',
      dmidecode: 'Memory Device\n\tSize: 1 GB\n',
    },
  });
  const inventory = await collectInventory(run, '52:54:00:00:00:01', tree);
  expect(Object.keys(inventory).sort()).toEqual([
    'bmc_address',
    'bmc_v6address',
    'boot',
    'cpu',
    'disks',
    'hostname',
    'interfaces',
    'memory',
    'system_vendor',
  ]);
  expect(inventory).toMatchObject({
    cpu: { model_name: 'QEMU TCG CPU', count: 1 },
    memory: { physical_mb: 1024 },
    disks: [{ name: '/dev/vda', serial: 'LABDISK0' }],
    interfaces: [],
    system_vendor: { product_name: 'Standard PC (Q35 + ICH9, 2009)' },
    boot: { current_boot_mode: 'uefi', pxe_interface: '52:54:00:00:00:01' },
    bmc_address: '192.0.2.7',
    bmc_v6address: '::/0',
    hostname: hostname(),
  });
  expect(inventory.disks[0]).not.toHaveProperty('readOnly');
});
