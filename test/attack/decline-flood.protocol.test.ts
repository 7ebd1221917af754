/** A host declines one address after the other in the name of a machine, until the range would be used up. */
import { expect, it } from 'vitest';
import { ask, broadcast } from '../fakes/netboot/asking.ts';
import { addressOption, dhcpRequest } from '../fakes/netboot/dhcp-client.ts';
import { startAttackedConductor } from './attacked-conductor.ts';

const MACHINE = '52:54:00:a7:00:01';
const OTHER = '52:54:00:a7:00:02';
const ADDRESSES = Array.from({ length: 12 }, (_, nth) => `10.83.0.${100 + nth}`);

it('a flood of DECLINEs takes three addresses, and other machines get theirs', async () => {
  await using conductor = await startAttackedConductor({
    settings: { dhcp: { range_start: ADDRESSES[0], range_end: ADDRESSES.at(-1) } },
    hosts: { stranger: { address: '10.83.0.66' }, other: { mac: OTHER } },
  });
  await conductor.nodeAwaitingAgent('deploy', { mac: MACHINE });
  await conductor.nodeAwaitingAgent('deploy', { mac: OTHER });
  const stranger = conductor.host('stranger');
  // Broadcasts need a route.
  await stranger.run(['ip', 'route', 'add', 'default', 'dev', 'eth0']);
  const wanted = (address: string) => ({
    mac: MACHINE,
    flags: 0x8000,
    options: { 50: addressOption(address) },
  });
  await ask(
    { run: async (_, command) => ({ code: 0, ...(await stranger.run(command)) }) },
    ADDRESSES.flatMap((address) => [
      broadcast(dhcpRequest('discover', wanted(address))),
      broadcast(dhcpRequest('decline', wanted(address))),
    ]),
  );
  expect(await conductor.host('other').lease()).toMatch(/^10\.83\.0\.1\d\d$/);
  expect(await conductor.logged('keeps this one')).toHaveLength(1);
}, 60_000);
