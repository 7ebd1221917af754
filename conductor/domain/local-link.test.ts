import { expect, it } from 'vitest';
import { badLocalLink } from './local-link.ts';

it.each([
  [{}],
  [{ switch_id: '0a:1b:2c:3d:4e:5f', port_id: 'Ethernet3/1', switch_info: 'leaf 3' }],
  [{ switch_id: '0x000a1b2c3d4e5f00', port_id: 'p' }],
  [{ hostname: 'nic', port_id: 'rep0-0' }],
  [{ network_type: 'unmanaged' }],
  [{ port_id: 'p', 'vtep-logical-switch': 'l', 'vtep-physical-switch': 's' }],
])('%o is a connection', (link) => {
  expect(badLocalLink(link)).toBeUndefined();
});

it.each([
  [{ colour: 'red' }, '"colour" is no key'],
  [{ switch_id: '0a:1b:2c:3d:4e:5f' }, '"port_id" is missing'],
  [{ port_id: 'p' }, '"switch_id" is missing'],
  [{ switch_id: 'x', port_id: 'p' }, 'must be a MAC address'],
  [{ network_type: 'managed' }, 'can only be unmanaged'],
  [{ port_id: 'p', 'vtep-logical-switch': 'l' }, '"vtep-physical-switch" is missing'],
  [{ port_id: 3 }, '"port_id" must be a text'],
])('%o is none', (link, said) => {
  expect(badLocalLink(link)).toContain(said);
});
