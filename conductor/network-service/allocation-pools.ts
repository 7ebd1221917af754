/**
 * Which addresses of a subnet ports may get. Pure.
 */
import type { Subnet } from '../domain/compute.ts';
import { formatAddress, type IpVersion, type Prefix, parseAddress, usable } from '../domain/ip-address.ts';
import { refused } from './network-error.ts';

export type Pool = Subnet['allocationPools'][number];

/** Both ends are included. */
export interface Range {
  readonly first: bigint;
  readonly last: bigint;
}

export const poolOf = ({ first, last }: Range, version: IpVersion): Pool => ({
  start: formatAddress({ version, value: first }),
  end: formatAddress({ version, value: last }),
});

/** All addresses that machines may use, except these. */
export function poolsWithout(prefix: Prefix, without: readonly bigint[]): Pool[] {
  return gaps(
    usable(prefix),
    without.map((value) => ({ first: value, last: value })),
  ).map((range) => poolOf(range, prefix.version));
}

/** The parts of a range that no other range covers. */
export function gaps(range: Range, others: readonly Range[]): Range[] {
  const found: Range[] = [];
  let next = range.first;
  for (const { first, last } of [...others].sort((a, b) => (a.first < b.first ? -1 : 1))) {
    if (first > next) found.push({ first: next, last: first - 1n < range.last ? first - 1n : range.last });
    if (last >= next) next = last + 1n;
  }
  if (next <= range.last) found.push({ first: next, last: range.last });
  return found.filter(({ first, last }) => first <= last && first <= range.last);
}

/** Returns the pools in canonical form. Throws Neutron's error when a pool is invalid. */
export function checkPools(
  pools: readonly Pool[],
  prefix: Prefix,
  cidr: string,
  gateway: string | null,
): Pool[] {
  const bounds = usable(prefix);
  const ranges = pools.map((pool) => {
    const words = `${pool.start}-${pool.end}`;
    const [start, end] = [parseAddress(pool.start), parseAddress(pool.end)];
    if (start === undefined || end === undefined || start.version !== end.version || end.value < start.value)
      throw refused.invalidPool(words);
    if (start.version !== prefix.version) throw refused.invalidPool(words);
    if (start.value < bounds.first || end.value > bounds.last) throw refused.poolOutOfBounds(words, cidr);
    return { first: start.value, last: end.value, words };
  });
  const sorted = [...ranges].sort((a, b) => (a.first < b.first ? -1 : 1));
  for (const [index, range] of sorted.entries()) {
    const before = sorted[index - 1];
    if (before !== undefined && before.last >= range.first)
      throw refused.poolsOverlap(before.words, range.words, cidr);
  }
  const router = gateway === null ? undefined : parseAddress(gateway)?.value;
  const conflicting = ranges.find(
    ({ first, last }) => router !== undefined && first <= router && router <= last,
  );
  if (conflicting !== undefined) throw refused.gatewayInPool(gateway!, conflicting.words);
  return ranges.map((range) => poolOf(range, prefix.version));
}

/**
 * Addresses of the pools, each once. Those after `after` come first, so that an address that was just freed is not
 * reused at once.
 */
export function* addressesAfter(
  { allocationPools, ipVersion }: Pick<Subnet, 'allocationPools' | 'ipVersion'>,
  after: string | undefined,
): Generator<string> {
  const ranges = allocationPools.flatMap(({ start, end }) => {
    const [from, to] = [parseAddress(start), parseAddress(end)];
    return from === undefined || to === undefined ? [] : [{ first: from.value, last: to.value }];
  });
  const at = after === undefined ? undefined : parseAddress(after)?.value;
  const pool = ranges.findIndex(({ first, last }) => at !== undefined && first <= at && at <= last);
  const turned =
    at === undefined || pool < 0
      ? ranges
      : [
          { first: at + 1n, last: ranges[pool]!.last },
          ...ranges.slice(pool + 1),
          ...ranges.slice(0, pool),
          { first: ranges[pool]!.first, last: at },
        ];
  for (const { first, last } of turned)
    for (let value = first; value <= last; value += 1n) yield formatAddress({ version: ipVersion, value });
}
