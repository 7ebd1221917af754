/** Collects the whole inventory. All parts are read at the same time. */
import { hostname } from 'node:os';
import type { Inventory } from '@ingot/shared/agent/inventory.ts';
import type { Run } from '../exec/run.ts';
import { readBmcAddress } from './bmc.ts';
import { listDisks } from './disks.ts';
import { listInterfaces } from './interfaces.ts';
import { currentBootMode, readCpu, readMemory, readVendor } from './machine.ts';

/**
 * @param bootedFrom the MAC address in BOOTIF.
 * @param tree the directory that contains `sys`, `proc` and `dev`.
 */
export async function collectInventory(run: Run, bootedFrom: string | null, tree = '/'): Promise<Inventory> {
  const [cpu, memory, disks, interfaces, vendor, bmc] = await Promise.all([
    readCpu(tree),
    readMemory(run, tree),
    listDisks(run, tree),
    listInterfaces(tree),
    readVendor(tree),
    readBmcAddress(run, tree),
  ]);
  return {
    cpu,
    memory,
    disks: disks.map(({ readOnly: _, ...disk }) => disk),
    interfaces,
    system_vendor: vendor,
    boot: { current_boot_mode: currentBootMode(tree), pxe_interface: bootedFrom },
    bmc_address: bmc,
    bmc_v6address: '::/0',
    hostname: hostname(),
  };
}
