import { expect, it, vi } from 'vitest';
import type { JsonObject } from '../domain/json.ts';
import { createBmcHosts, hostsIn, resolveName } from './bmc-hosts.ts';

it('are read from driver_info', () => {
  const info = {
    ipmi_address: '10.0.0.1',
    redfish_address: 'https://[fd00::1]:8443/redfish',
    ilo_address: 'ilo.test',
    ipmi_local_address: '10.0.0.9',
    ipmi_target_address: '0x82',
    ipmi_username: 'x',
    snmp_address: 5,
  };
  expect(hostsIn(info)).toEqual(['10.0.0.1', 'fd00::1', 'ilo.test']);
});

/** Hosts of nodes with these addresses, with a clock in milliseconds. */
function bmcs(addresses: string[]) {
  const clock = { ms: 1_000_000 };
  const names = new Map<string, string[] | undefined>();
  const list = vi.fn(
    async (): Promise<{ driverInfo: JsonObject }[]> =>
      addresses.map((ipmi_address) => ({ driverInfo: { ipmi_address } })),
  );
  const resolve = vi.fn((name: string) => Promise.resolve(names.get(name) ?? []));
  const hosts = createBmcHosts({ list, resolve, now: () => new Date(clock.ms) });
  return { hosts, list, resolve, names, clock, addresses };
}

it('are read again after five seconds, and after a failure', async () => {
  const { hosts, list, clock, addresses } = bmcs(['10.0.0.1']);
  list.mockRejectedValueOnce(new Error('no'));
  await expect(hosts()).rejects.toThrow('no');
  expect(await hosts()).toEqual(['10.0.0.1']);
  addresses.push('10.0.0.2');
  clock.ms += 4_999;
  expect(await hosts()).toEqual(['10.0.0.1']);
  clock.ms += 1;
  expect(await hosts()).toEqual(['10.0.0.1', '10.0.0.2']);
});

it('given by name are known by their addresses, which are looked up once a minute', async () => {
  const { hosts, resolve, names, clock } = bmcs(['bmc.test', 'none.test']);
  names.set('bmc.test', ['10.0.0.1', 'fd00::1']);
  expect(await hosts()).toEqual(['bmc.test', 'none.test', '10.0.0.1', 'fd00::1']);
  clock.ms += 59_999;
  await hosts();
  expect(resolve).toHaveBeenCalledTimes(2);
  clock.ms += 60_000;
  names.set('bmc.test', ['10.0.0.2']);
  expect(await hosts()).toEqual(['bmc.test', 'none.test', '10.0.0.2']);
});

it('keep their addresses while no name server answers', async () => {
  const { hosts, names, clock } = bmcs(['bmc.test']);
  names.set('bmc.test', ['10.0.0.1']);
  await hosts();
  names.delete('bmc.test');
  clock.ms += 60_000;
  expect(await hosts()).toEqual(['bmc.test', '10.0.0.1']);
});

it('with a name that does not exist have no address', async () => {
  expect(await resolveName('.')).toEqual([]);
});
