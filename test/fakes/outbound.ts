/**
 * Outbound requests of tests: to servers on loopback, and to no other special addresses that exist.
 */
import { type Prefix, parsePrefix } from '@ingot/conductor/domain/ip-address.ts';
import { createOutbound } from '@ingot/conductor/outbound/outbound.ts';

/** Servers of tests, and servers that are only names in tests (RFC 5737). */
const ALLOWED = ['127.0.0.1', '192.0.2.0/24'].map((text) => parsePrefix(text) as Prefix);

export const loopbackOutbound = createOutbound({
  rules: () => ({ allow: ALLOWED, own: ['127.0.0.1', '::1'], ownPorts: [] }),
  bmcHosts: async () => [],
});
