import { describe, expect, it } from 'vitest';
import { fc } from '../../test/random-cases.ts';
import type { Json, JsonObject } from '../json.ts';
import { checkInspection } from './inspection-check.ts';

const check = (inventory: JsonObject, pluginData: JsonObject = {}) =>
  checkInspection({ inventory, pluginData });
const reasonOf = (inventory: JsonObject, pluginData: JsonObject = {}): string | undefined => {
  const checked = check(inventory, pluginData);
  return checked.ok ? undefined : checked.reason;
};
const times = (count: number, one: Json): Json[] => Array.from({ length: count }, () => one);

/** As ironic-python-agent sends it, with what it does not know. */
const INVENTORY: JsonObject = {
  cpu: {
    model_name: 'x',
    frequency: '2000.0',
    count: 8,
    architecture: 'x86_64',
    flags: ['fpu'],
    socket_count: null,
  },
  memory: { total: 8_000_000_000, physical_mb: null },
  disks: [{ name: '/dev/sda', size: 4_000_000_000, model: '', serial: null, rotational: false }],
  interfaces: [
    {
      name: 'eth0',
      mac_address: '52:54:00:00:00:01',
      lldp: [[1, '04885a92ec5459']],
      speed_mbps: -1,
      has_carrier: true,
    },
    { name: 'ib0', mac_address: null },
  ],
  boot: { current_boot_mode: 'uefi', pxe_interface: '' },
  bmc_address: '0.0.0.0',
  hostname: 'n1',
};

describe('inspection data', () => {
  it('of an agent is accepted as it is', () => {
    const pluginData = {
      error: null,
      configuration: { collectors: ['default'] },
      dmi: 'a\n\tb\n',
      logs: 'QUI=\n',
    };
    expect(check(INVENTORY, pluginData)).toEqual({ ok: true, value: { inventory: INVENTORY, pluginData } });
    expect(check({})).toHaveProperty('ok', true);
  });

  it('loses control characters', () => {
    expect(check({ hostname: 'a\u0000b\u202e' }, { x: ['\u001b[2J'] })).toEqual({
      ok: true,
      value: { inventory: { hostname: 'a\u{fffd}b\u{fffd}' }, pluginData: { x: ['\u{fffd}[2J'] } },
    });
  });

  it.each<[string, JsonObject, JsonObject?]>([
    ['inventory.interfaces has 65 entries; at most 64 are allowed', { interfaces: times(65, {}) }],
    ['inventory.disks has 1025 entries; at most 1024 are allowed', { disks: times(1025, {}) }],
    ['inventory.interfaces is no list of objects', { interfaces: ['52:54:00:00:00:01'] }],
    ['inventory.disks is no list of objects', { disks: { name: 'sda' } }],
    ['inventory.cpu.count is no whole number from 0 to 65536', { cpu: { count: 65_537 } }],
    ['inventory.cpu.count is no whole number from 0 to 65536', { cpu: { count: -1 } }],
    ['inventory.cpu.count is no whole number from 0 to 65536', { cpu: { count: '8' } }],
    [
      'inventory.memory.physical_mb is no whole number from 0 to 1073741824',
      { memory: { physical_mb: 1e12 } },
    ],
    ['inventory.memory.total is no whole number', { memory: { total: 0.5 } }],
    ['inventory.disks[].size is no whole number', { disks: [{ size: 1e300 }] }],
    ['inventory.cpu.architecture is no text of one line', { cpu: { architecture: 'x\ny' } }],
    ['inventory.interfaces[].mac_address is no text of one line', { interfaces: [{ mac_address: 7 }] }],
    ['inventory.disks[].name is no text of one line', { disks: [{ name: 'x'.repeat(256) }] }],
    ['a number is beyond 2^53 - 1', { other: [{ n: -1e300 }] }],
    ['a text is longer than 4096 characters', { hostname: 'x'.repeat(4097) }],
    ['a name is longer than 255 characters', { ['x'.repeat(256)]: 1 }],
    ['the data has more than 100000 values', { x: times(100_000, 1) }],
    ['the data has more than 1048576 characters besides the logs', { x: times(300, 'x'.repeat(4000)) }],
    ['a text is longer than 1048576 characters', {}, { x: 'x'.repeat(1_048_577) }],
    ['the data has more than 1048576 characters', {}, { x: times(2, 'x'.repeat(600_000)) }],
    ['logs is no base64 text', {}, { logs: 'a%b' }],
    ['logs is no base64 text', {}, { logs: { a: 1 } }],
  ])('is refused: %s', (reason, inventory, pluginData = {}) => {
    expect(reasonOf(inventory, pluginData)).toContain(reason);
  });

  it('may have logs of 15 MiB', () => {
    expect(reasonOf({}, { logs: 'A'.repeat(15 * 1024 * 1024) })).toBeUndefined();
    expect(reasonOf({}, { logs: 'A'.repeat(15 * 1024 * 1024 + 1) })).toBe('logs is longer than 15 MiB');
  });

  it('never makes the check throw', () => {
    const anything = fc.jsonValue() as fc.Arbitrary<Json>;
    const object = fc.dictionary(
      fc.constantFrom('cpu', 'disks', 'interfaces', 'memory', '__proto__'),
      anything,
    );
    fc.assert(
      fc.property(object, object, (inventory, pluginData) => {
        expect(check(inventory, pluginData)).toHaveProperty('ok');
      }),
    );
  });
});
