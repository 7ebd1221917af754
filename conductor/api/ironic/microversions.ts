/**
 * Microversions of the bare-metal API: those of Ironic.
 */
import {
  MAX_MINOR,
  MIN_MINOR,
  readVersion,
  VERSION_HEADERS,
  versionText,
} from '@ingot/shared/ironic/versions.ts';
import type { Microversions } from '../kit/microversion.ts';

export const IRONIC_VERSIONS: Microversions = {
  service: 'baremetal',
  min: MIN_MINOR,
  max: MAX_MINOR,
  headers: VERSION_HEADERS,
  text: versionText,
  read: readVersion,
  requestIdSince: 107,
  /** Ironic's versions do not apply to our own paths, which have the newest one, and the root, which has the oldest. */
  fixedFor({ url }) {
    if (url === '/v1' || url.startsWith('/v1/') || url.startsWith('/v1?')) return undefined;
    return url.startsWith('/ingot/') ? MAX_MINOR : MIN_MINOR;
  },
};
