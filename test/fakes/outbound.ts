/**
 * Outbound requests of tests: to servers on loopback, and to nothing else that is special.
 */
import { type Prefix, parsePrefix } from '@ingot/conductor/domain/ip-address.ts';
import { createOutbound } from '@ingot/conductor/outbound/outbound.ts';

const LOOPBACK = ['127.0.0.1'].map((text) => parsePrefix(text) as Prefix);

export const loopbackOutbound = createOutbound({
  rules: async () => ({ allow: LOOPBACK, own: ['127.0.0.1', '::1'], bmcs: [], ownPorts: [] }),
});
