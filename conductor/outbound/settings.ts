/**
 * Settings of outbound requests.
 */
import type { Settings } from '../domain/setting.ts';

export const OUTBOUND_SETTINGS = {
  outboundAllow: {
    name: 'outbound.allow',
    type: 'networks',
    default: [],
    help: 'Networks with private or other special-purpose addresses, such as `10.20.0.0/16` or `fd00:1::/64`, from which the conductor may fetch images, checksum files and imports, and which inspection rules may call. Addresses of the conductor and of BMCs, and metadata addresses of clouds, are allowed only by themselves: `10.20.0.5`.',
  },
} as const satisfies Settings;
