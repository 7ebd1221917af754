import { expect, it } from 'vitest';
import { ipmiAddress } from '../../../test/fakes/bmc/test-ipmi.ts';
import { endpointOf, type IpmiAddress, sameLogin } from './address.ts';
import { Secret } from './secret.ts';

it.each([
  ['10.0.0.5', '10.0.0.5:623'],
  ['bmc.test', 'bmc.test:623'],
  ['fd00::5', '[fd00::5]:623'],
])('the BMC at %s is called %s', (host, endpoint) => {
  expect(endpointOf({ host, port: 623 })).toBe(endpoint);
});

it.each<[same: boolean, Partial<IpmiAddress>, Partial<IpmiAddress>]>([
  [true, {}, {}],
  [true, { password: Secret.ofText('p') }, { password: Secret.ofText('p') }],
  [true, { kg: Secret.ofText('k') }, { kg: Secret.ofText('k') }],
  [true, { forceBootDevice: true }, { forceBootDevice: false }],
  [true, { disableBootTimeout: true }, { disableBootTimeout: false }],
  [false, { host: '10.0.0.5' }, { host: '10.0.0.6' }],
  [false, { port: 623 }, { port: 624 }],
  [false, { username: 'a' }, { username: 'b' }],
  [false, { password: Secret.ofText('p') }, { password: Secret.ofText('q') }],
  [false, { kg: Secret.ofText('k') }, {}],
  [false, {}, { kg: Secret.ofText('k') }],
  [false, { kg: Secret.ofText('k') }, { kg: Secret.ofText('l') }],
  [false, { privilege: 'USER' }, { privilege: 'OPERATOR' }],
  [false, { localAddress: '10.0.0.1' }, {}],
  [false, { cipherSuites: [3, 17] }, { cipherSuites: [17, 3] }],
])('one session may serve both: %s for %o and %o', (same, a, b) => {
  expect(sameLogin({ ...ipmiAddress(623), ...a }, { ...ipmiAddress(623), ...b })).toBe(same);
});
