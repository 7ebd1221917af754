/**
 * Counts log-ins by address: each counts from its beginning until its password turns out to be right, so that guesses
 * at the same time gain nothing. After too many wrong ones in a minute, the address must wait.
 */
import { isIPv6 } from 'node:net';
import { IngotError } from '../domain/errors.ts';

const WINDOW_MS = 60_000;
const MAX_FAILURES = 20;
const MAX_ADDRESSES = 10_000;
/** Log-ins of one address that wait for the result of others. */
const MAX_WAITING = 100;

export interface AttemptLimit {
  /**
   * Counts a log-in. Waits while its address has as many unfinished ones as it may still get wrong. Throws tooMany,
   * and unavailable when too many wait.
   */
  begin(address: string): Promise<Attempt>;
}

/** Call one of them, once. */
export interface Attempt {
  /** The password was right, or could not be checked: the log-in does not count. */
  forget(): void;
  fail(): void;
}

interface Count {
  failures: number;
  unfinished: number;
  until: number;
  /** Those that wait for the end of an unfinished one. */
  readonly waiting: Set<() => void>;
}

export function createAttemptLimit(now: () => number): AttemptLimit {
  const counts = new Map<string, Count>();

  function countOf(place: string): Count {
    const known = counts.get(place);
    if (known !== undefined) {
      if (known.until <= now()) Object.assign(known, { failures: 0, until: now() + WINDOW_MS });
      return known;
    }
    const [oldest] = counts.keys();
    if (oldest !== undefined && counts.size >= MAX_ADDRESSES) counts.delete(oldest);
    const made: Count = { failures: 0, unfinished: 0, until: now() + WINDOW_MS, waiting: new Set() };
    counts.set(place, made);
    return made;
  }

  function started(place: string, count: Count): Attempt {
    count.unfinished += 1;
    const end = (failures: 0 | 1) => (): void => {
      count.unfinished -= 1;
      count.failures += failures;
      const isIdle = count.unfinished === 0 && count.failures === 0 && count.waiting.size === 0;
      if (isIdle && counts.get(place) === count) counts.delete(place);
      for (const wake of count.waiting) wake();
      count.waiting.clear();
    };
    return { forget: end(0), fail: end(1) };
  }

  return {
    async begin(address) {
      const place = placeOf(address);
      for (;;) {
        const count = countOf(place);
        if (count.failures >= MAX_FAILURES) throw mustWait(count.until - now());
        if (count.failures + count.unfinished < MAX_FAILURES) return started(place, count);
        if (count.waiting.size >= MAX_WAITING) {
          throw new IngotError('unavailable', 'Too many log-ins are being checked. Try again in a moment.');
        }
        await new Promise<void>((resolve) => count.waiting.add(resolve));
      }
    },
  };
}

const mustWait = (ms: number): IngotError =>
  new IngotError(
    'tooMany',
    `Too many log-ins from this address have failed. Try again in ${Math.ceil(ms / 1000)} seconds.`,
  );

/** An IPv6 host has a whole network of addresses, so only the first 64 bits count. */
function placeOf(address: string): string {
  if (!isIPv6(address) || address.startsWith('::ffff:')) return address;
  const [head = '', tail] = address.split('::');
  const groups = head.split(':').filter((group) => group !== '');
  const rest = tail === undefined ? [] : tail.split(':').filter((group) => group !== '');
  const zeros = tail === undefined ? [] : Array<string>(8 - groups.length - rest.length).fill('0');
  return [...groups, ...zeros, ...rest].slice(0, 4).join(':');
}
