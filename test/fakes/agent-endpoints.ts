/** A conductor at a documentation address (RFC 5737), to which nothing is ever sent. */
import type { NetworkBootSettings } from '@ingot/conductor/drivers/network-boot.ts';

export const TEST_ENDPOINTS = {
  plainUrl: 'http://192.0.2.1:8089',
  tlsUrl: 'https://192.0.2.1:8090',
  pin: 'pin-of-the-conductor',
  allowPlaintext: true,
} as const;

export const TEST_NETWORK_BOOT: NetworkBootSettings = {
  endpoints: TEST_ENDPOINTS,
  untrusted: false,
  kernelAppendParams: 'nofb',
  missingBootFile: () => undefined,
};
