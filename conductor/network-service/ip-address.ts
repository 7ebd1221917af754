/**
 * Addresses and prefixes of IPv4 and IPv6 as numbers. Pure; what cannot be read is undefined.
 */
import { isIPv4, isIPv6, SocketAddress } from 'node:net';

export type IpVersion = 4 | 6;

export interface IpAddress {
  readonly version: IpVersion;
  readonly value: bigint;
}

/** First and last address with the prefix, host bits cleared and set. */
export interface Prefix {
  readonly version: IpVersion;
  readonly first: bigint;
  readonly last: bigint;
  readonly length: number;
}

const BITS = { 4: 32, 6: 128 } as const;

export function parseAddress(text: string): IpAddress | undefined {
  if (isIPv4(text)) return { version: 4, value: numberOf(text.split('.').map(Number), 8) };
  // A zone is a matter of one machine's interfaces.
  if (!isIPv6(text) || text.includes('%')) return undefined;
  return { version: 6, value: numberOf(groupsOf(text), 16) };
}

const numberOf = (parts: readonly number[], bits: number): bigint =>
  parts.reduce((sum, part) => (sum << BigInt(bits)) | BigInt(part), 0n);

/** Eight groups of a well-formed address; its last two may stand as dotted IPv4 (RFC 4291 section 2.2). */
function groupsOf(text: string): number[] {
  const plain = text.replace(/\d+\.\d+\.\d+\.\d+$/, (dotted) => {
    const [a, b, c, d] = dotted.split('.').map(Number) as [number, number, number, number];
    return `${((a << 8) | b).toString(16)}:${((c << 8) | d).toString(16)}`;
  });
  const [head, tail] = plain
    .split('::')
    .map((half) => (half === '' ? [] : half.split(':').map((group) => Number.parseInt(group, 16))));
  if (tail === undefined) return head ?? [];
  return [...head!, ...Array<number>(8 - head!.length - tail.length).fill(0), ...tail];
}

/** Dotted, or as RFC 5952 wants it. */
export function formatAddress({ version, value }: IpAddress): string {
  const bits = version === 4 ? 8 : 16;
  const count = BITS[version] / bits;
  const parts = Array.from({ length: count }, (_, index) =>
    Number((value >> BigInt(bits * (count - 1 - index))) & ((1n << BigInt(bits)) - 1n)),
  );
  if (version === 4) return parts.join('.');
  const address = parts.map((part) => part.toString(16)).join(':');
  return new SocketAddress({ address, family: 'ipv6' }).address;
}

/** As it is written canonically; undefined when it is no address. */
export function canonicalAddress(text: string): string | undefined {
  const address = parseAddress(text);
  return address && formatAddress(address);
}

/** `10.0.0.0/24`; an address alone is one of full length. */
export function parsePrefix(text: string): Prefix | undefined {
  const [address, length, ...more] = text.split('/');
  const base = parseAddress(address ?? '');
  if (base === undefined || more.length > 0 || !/^\d{1,3}$/.test(length ?? '0')) return undefined;
  const bits = BITS[base.version];
  const long = length === undefined ? bits : Number(length);
  if (long > bits) return undefined;
  const size = 1n << BigInt(bits - long);
  const first = base.value - (base.value % size);
  return { version: base.version, first, last: first + size - 1n, length: long };
}

export const formatPrefix = ({ version, first, length }: Prefix): string =>
  `${formatAddress({ version, value: first })}/${length}`;

export const netmaskOf = ({ version, length }: Prefix): string => {
  const bits = BigInt(BITS[version]);
  const host = bits - BigInt(length);
  return formatAddress({ version, value: ((1n << bits) - 1n) ^ ((1n << host) - 1n) });
};

export const holds = (prefix: Prefix, address: IpAddress): boolean =>
  prefix.version === address.version && address.value >= prefix.first && address.value <= prefix.last;

export const overlaps = (a: Prefix, b: Prefix): boolean =>
  a.version === b.version && a.first <= b.last && b.first <= a.last;

/**
 * What machines may have: not the network's own address nor the broadcast address of IPv4 (RFC 3021 excepts /31), nor the
 * subnet-router anycast address of IPv6 (RFC 4291 section 2.6.1).
 */
export function usable({ version, first, last, length }: Prefix): { first: bigint; last: bigint } {
  if (length >= BITS[version] - 1) return { first, last };
  return { first: first + 1n, last: version === 4 ? last - 1n : last };
}
