import { decodeInventory } from '@ingot/shared/agent/inventory-facts.ts';
import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../domain/json.ts';
import { bootMacs, propertiesFrom } from './inspection-data.ts';

const GIB = 1024 ** 3;
const factsOf = (inventory: JsonObject) => decodeInventory(inventory);

describe('properties', () => {
  it('are architecture, counts, and the size of the smallest usable disk minus 1 GiB', () => {
    const sizes = [500 * GIB, 3 * GIB, 100.5 * GIB];
    const facts = factsOf({
      cpu: { architecture: 'x86_64', count: 8 },
      memory: { physical_mb: 8192 },
      disks: sizes.map((size) => ({ size })),
    });
    expect(propertiesFrom(facts)).toEqual({ cpu_arch: 'x86_64', cpus: 8, memory_mb: 8192, local_gb: 99 });
  });

  it('include a disk of 4 GiB as usable', () => {
    expect(propertiesFrom(factsOf({ disks: [{ size: 4 * GIB }] }))).toEqual({ local_gb: 3 });
  });

  it('contain nothing that the inventory does not contain', () => {
    expect(propertiesFrom(factsOf({ disks: [{ size: 'large' }, { size: 4 * GIB - 1 }] }))).toEqual({});
  });
});

describe('addresses for ports', () => {
  const interfaces = [
    { mac_address: '52:54:00:00:00:01' },
    { mac_address: 'none' },
    { mac_address: '52-54-00-00-00-0A' },
  ];

  it('are that of the network interface from which it booted', () => {
    expect(bootMacs(factsOf({ interfaces, boot: { pxe_interface: '52:54:00:00:00:0A' } }))).toEqual([
      '52:54:00:00:00:0a',
    ]);
  });

  it('are those of all network interfaces when that one is unknown', () => {
    const all = ['52:54:00:00:00:01', '52:54:00:00:00:0a'];
    for (const pxe of [null, 'nonsense']) {
      expect(bootMacs(factsOf({ interfaces, boot: { pxe_interface: pxe } }))).toEqual(all);
    }
  });
});
