import { expect, it } from 'vitest';
import { checkNetworkData } from './network-data.ts';

const links = [{ id: 'l1', type: 'phy', ethernet_mac_address: '52:54:00:00:00:01' }];
const networks = [{ id: 'n1', link: 'l1', type: 'ipv4_dhcp' }];

it('may be complete or empty', () => {
  expect(() => checkNetworkData({ links, networks, services: [] })).not.toThrow();
  expect(() => checkNetworkData({})).not.toThrow();
});

it.each([
  [{ cables: 1 }, '"cables" is not one of links, networks, services'],
  [{ links }, '"networks" is missing'],
  [{ links: 'x', networks }, '"links" must be a list'],
  [{ links: [3], networks }, 'links[0] must be an object'],
  [{ links, networks: [networks[0]!, { id: 'n2' }] }, 'networks[1] must have "link"'],
])('%o is rejected, naming place and key', (data, said) => {
  expect(() => checkNetworkData(data)).toThrow(said);
});
