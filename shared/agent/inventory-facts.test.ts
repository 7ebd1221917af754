import { expect, it } from 'vitest';
import { fc } from '../../test/random-cases.ts';
import type { JsonObject } from '../json.ts';
import type { Inventory } from './inventory.ts';
import { decodeInventory } from './inventory-facts.ts';

const PARTS: Pick<Inventory, 'cpu' | 'memory' | 'boot'> = {
  cpu: { model_name: 'x', frequency: null, count: 8, architecture: 'x86_64', flags: [], socket_count: 1 },
  memory: { total: 8_000_000_000, physical_mb: 8192 },
  boot: { current_boot_mode: 'uefi', pxe_interface: '52:54:00:00:00:01' },
};

it('reads the inventory of an agent', () => {
  const inventory = {
    ...PARTS,
    disks: [
      { name: '/dev/sda', size: 10 },
      { name: '/dev/sdb', size: 20 },
    ],
    interfaces: [{ mac_address: '52:54:00:00:00:01' }, { mac_address: '52:54:00:00:00:02' }],
  } as unknown as JsonObject;
  expect(decodeInventory(inventory)).toEqual({
    architecture: 'x86_64',
    cpuCount: 8,
    memoryMb: 8192,
    diskSizes: [10, 20],
    bootMode: 'uefi',
    bootAddress: '52:54:00:00:00:01',
    addresses: ['52:54:00:00:00:01', '52:54:00:00:00:02'],
  });
});

it('treats values of another type as missing', () => {
  const odd = {
    cpu: [],
    memory: { physical_mb: '8192' },
    boot: { current_boot_mode: 'coreboot', pxe_interface: null },
    disks: 'none',
    interfaces: [null, 7, { mac_address: 7 }, {}],
  };
  expect(decodeInventory(odd)).toEqual({
    architecture: undefined,
    cpuCount: undefined,
    memoryMb: undefined,
    diskSizes: [],
    bootMode: undefined,
    bootAddress: undefined,
    addresses: [],
  });
});

it('never throws', () => {
  fc.assert(
    fc.property(
      fc.dictionary(fc.constantFrom('cpu', 'memory', 'boot', 'disks', 'interfaces'), fc.jsonValue()),
      (one) => {
        expect(decodeInventory(one as JsonObject)).toHaveProperty('addresses');
      },
    ),
  );
});
