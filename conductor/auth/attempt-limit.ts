/**
 * Counts wrong passwords by address. After too many in a minute, the address must wait.
 */
import { isIPv6 } from 'node:net';
import { IngotError } from '../domain/errors.ts';

const WINDOW_MS = 60_000;
const MAX_FAILURES = 20;
const MAX_ADDRESSES = 10_000;

export interface AttemptLimit {
  /** Throws tooMany. */
  check(address: string): void;
  failed(address: string): void;
}

interface Failures {
  count: number;
  readonly until: number;
}

export function createAttemptLimit(now: () => number): AttemptLimit {
  const failures = new Map<string, Failures>();

  function current(place: string): Failures | undefined {
    const known = failures.get(place);
    if (known === undefined || known.until > now()) return known;
    failures.delete(place);
    return undefined;
  }

  return {
    check(address) {
      const known = current(placeOf(address));
      if (known === undefined || known.count < MAX_FAILURES) return;
      const seconds = Math.ceil((known.until - now()) / 1000);
      throw new IngotError(
        'tooMany',
        `Too many log-ins from this address have failed. Try again in ${seconds} seconds.`,
      );
    },
    failed(address) {
      const place = placeOf(address);
      const known = current(place);
      if (known !== undefined) {
        known.count += 1;
        return;
      }
      const [oldest] = failures.keys();
      if (oldest !== undefined && failures.size >= MAX_ADDRESSES) failures.delete(oldest);
      failures.set(place, { count: 1, until: now() + WINDOW_MS });
    },
  };
}

/** An IPv6 host has a whole network of addresses, so only the first 64 bits count. */
function placeOf(address: string): string {
  if (!isIPv6(address) || address.startsWith('::ffff:')) return address;
  const [head = '', tail] = address.split('::');
  const groups = head.split(':').filter((group) => group !== '');
  const rest = tail === undefined ? [] : tail.split(':').filter((group) => group !== '');
  const zeros = tail === undefined ? [] : Array<string>(8 - groups.length - rest.length).fill('0');
  return [...groups, ...zeros, ...rest].slice(0, 4).join(':');
}
