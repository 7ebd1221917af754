/**
 * IPv4 and IPv6 addresses and networks. Pure; invalid texts give undefined.
 *
 * ipaddr.js parses and formats; docs/decisions/0011-ip-addresses.md says why. Addresses are numbers here, so that ranges
 * can be compared and counted.
 */
import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';

export type IpVersion = 4 | 6;

export interface IpAddress {
  readonly version: IpVersion;
  readonly value: bigint;
}

/** A network: its first and last address, and the length of its prefix. */
export interface Prefix {
  readonly version: IpVersion;
  readonly first: bigint;
  readonly last: bigint;
  readonly length: number;
}

const BITS = { 4: 32, 6: 128 } as const;

/** Node's check is stricter than ipaddr.js, which also accepts `10.1` and `0x0a000001`. Zones (`%eth0`) are refused. */
export function parseAddress(text: string): IpAddress | undefined {
  const version = isIP(text);
  if ((version !== 4 && version !== 6) || text.includes('%')) return undefined;
  const bytes = ipaddr.parse(version === 6 ? withoutDots(text) : text).toByteArray();
  return { version, value: bytes.reduce((sum, byte) => (sum << 8n) | BigInt(byte), 0n) };
}

/** ipaddr.js reads `::10.1.2.3` as the address `::ffff:10.1.2.3`. The URL standard writes all groups in hexadecimal. */
const withoutDots = (text: string): string =>
  text.includes('.') ? new URL(`http://[${text}]`).hostname.slice(1, -1) : text;

/** Dotted decimal, or the form of RFC 5952. Addresses with an embedded IPv4 address end in it, as inet_ntop(3) writes. */
export function formatAddress({ version, value }: IpAddress): string {
  if (version === 4) return dotted(Number(value));
  const address = ipaddr.fromByteArray(bytesOf(value, 16)) as ipaddr.IPv6;
  const embedded = EMBEDDED_IPV4.find(({ first, last }) => value >= first && value <= last);
  if (embedded === undefined) return address.toRFC5952String();
  return embedded.start + formatAddress({ version: 4, value: value & 0xffff_ffffn });
}

/** Eight times as fast as the library: the address pool formats each address of its range until one is free. */
const dotted = (value: number): string =>
  `${value >>> 24}.${(value >>> 16) & 255}.${(value >>> 8) & 255}.${value & 255}`;

/** IPv4-compatible and IPv4-mapped addresses (RFC 4291 section 2.5.5); `::1` to `::ffff` are neither. */
const EMBEDDED_IPV4 = [
  { first: 0x1_0000n, last: 0xffff_ffffn, start: '::' },
  { first: 0xffff_0000_0000n, last: 0xffff_ffff_ffffn, start: '::ffff:' },
];

const bytesOf = (value: bigint, count: number): number[] =>
  Array.from({ length: count }, (_, index) => Number((value >> BigInt(8 * (count - 1 - index))) & 0xffn));

/** The address in its canonical form. */
export function canonicalAddress(text: string): string | undefined {
  const address = parseAddress(text);
  return address && formatAddress(address);
}

/** `10.0.0.0/24`; an address without a length is a network of one address. Host bits are ignored. */
export function parsePrefix(text: string): Prefix | undefined {
  const [address, length, ...more] = text.split('/');
  const base = parseAddress(address ?? '');
  if (base === undefined || more.length > 0 || !/^\d{1,3}$/.test(length ?? '0')) return undefined;
  const bits = BITS[base.version];
  const long = length === undefined ? bits : Number(length);
  return long > bits ? undefined : prefixOf(base, long);
}

function prefixOf({ version, value }: IpAddress, length: number): Prefix {
  const size = 1n << BigInt(BITS[version] - length);
  const first = value - (value % size);
  return { version, first, last: first + size - 1n, length };
}

/** The IPv4 network of an interface. Throws if the address or the netmask is invalid. */
export function networkOf({ address, netmask }: { address: string; netmask: string }): Prefix {
  const base = parseAddress(address);
  const length = isIP(netmask) === 4 ? ipaddr.IPv4.parse(netmask).prefixLengthFromSubnetMask() : null;
  if (base?.version !== 4 || length === null)
    throw new Error(`${address} with netmask ${netmask} is not an IPv4 network`);
  return prefixOf(base, length);
}

export const formatPrefix = ({ version, first, length }: Prefix): string =>
  `${formatAddress({ version, value: first })}/${length}`;

export function netmaskOf({ version, length }: Prefix): string {
  const family = version === 4 ? ipaddr.IPv4 : ipaddr.IPv6;
  return family.subnetMaskFromPrefixLength(length).toString();
}

export const holds = (prefix: Prefix, address: IpAddress): boolean =>
  prefix.version === address.version && address.value >= prefix.first && address.value <= prefix.last;

export const overlaps = (a: Prefix, b: Prefix): boolean =>
  a.version === b.version && a.first <= b.last && b.first <= a.last;

/**
 * The range of addresses for machines. It excludes the network and broadcast address of IPv4 (except in a /31, RFC 3021)
 * and the subnet-router anycast address of IPv6 (RFC 4291 section 2.6.1).
 */
export function usable({ version, first, last, length }: Prefix): { first: bigint; last: bigint } {
  if (length >= BITS[version] - 1) return { first, last };
  return { first: first + 1n, last: version === 4 ? last - 1n : last };
}
