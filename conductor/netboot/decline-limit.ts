/**
 * Limits how often a machine may decline its address: each DECLINE takes an address out of the range for ten minutes,
 * so one host with a known MAC address could use up the range.
 */
import type { Mac } from '../domain/boot.ts';

const MAX_DECLINES = 3;
const WINDOW_MS = 600_000;

export interface DeclineLimit {
  /** Counts a DECLINE; false: the machine has sent too many. */
  allows(mac: Mac): boolean;
}

/** Only machines that are known may decline, so their number is limited. */
export function createDeclineLimit(now: () => Date): DeclineLimit {
  const declines = new Map<Mac, readonly number[]>();
  return {
    allows(mac) {
      const at = now().getTime();
      const recent = (declines.get(mac) ?? []).filter((time) => at - time < WINDOW_MS);
      const isAllowed = recent.length < MAX_DECLINES;
      declines.set(mac, isAllowed ? [...recent, at] : recent);
      return isAllowed;
    },
  };
}
