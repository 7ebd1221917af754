/**
 * Addresses that are not ordinary hosts of the Internet: the special-purpose registries of RFC 6890 with their later
 * entries, multicast, and the metadata services of clouds. Pure.
 */
import { holds, type IpAddress, type Prefix, parsePrefix } from '../ip-address.ts';

export type SpecialKind =
  | 'metadata'
  | 'loopback'
  | 'link-local'
  | 'unspecified'
  | 'multicast'
  | 'private'
  | 'translated'
  | 'reserved';

export interface SpecialRange {
  readonly kind: SpecialKind;
  /** For error texts: "a private address (RFC 1918)". */
  readonly name: string;
}

type Row = readonly [network: string, kind: SpecialKind, name: string];

/** The first row that contains an address counts. */
const ROWS: readonly Row[] = [
  ['169.254.169.254', 'metadata', 'a cloud metadata address'],
  ['169.254.170.2', 'metadata', 'a cloud metadata address (ECS)'],
  ['169.254.170.23', 'metadata', 'a cloud metadata address (EKS)'],
  ['169.254.42.42', 'metadata', 'a cloud metadata address (Scaleway)'],
  ['169.254.0.23', 'metadata', 'a cloud metadata address (Tencent)'],
  ['100.100.100.200', 'metadata', 'a cloud metadata address (Alibaba)'],
  ['192.0.0.192', 'metadata', 'a cloud metadata address (Oracle)'],
  ['168.63.129.16', 'metadata', 'a cloud metadata address (Azure)'],
  ['fd00:ec2::254', 'metadata', 'a cloud metadata address (EC2)'],
  ['fd00:ec2::23', 'metadata', 'a cloud metadata address (EKS)'],
  ['fd20:ce::254', 'metadata', 'a cloud metadata address (Google)'],
  ['fd00:42::42', 'metadata', 'a cloud metadata address (Scaleway)'],
  ['fd00:c1::a9fe:a9fe', 'metadata', 'a cloud metadata address (Oracle)'],
  ['fe80::a9fe:a9fe', 'metadata', 'a cloud metadata address (OpenStack)'],
  ['0.0.0.0/8', 'unspecified', 'an address of "this network" (RFC 791)'],
  ['10.0.0.0/8', 'private', 'a private address (RFC 1918)'],
  ['100.64.0.0/10', 'private', 'a shared address of providers (RFC 6598)'],
  ['127.0.0.0/8', 'loopback', 'a loopback address'],
  ['169.254.0.0/16', 'link-local', 'a link-local address'],
  ['172.16.0.0/12', 'private', 'a private address (RFC 1918)'],
  ['192.0.0.0/24', 'reserved', 'an address for protocols (RFC 6890)'],
  ['192.0.2.0/24', 'reserved', 'an address for documentation (RFC 5737)'],
  ['192.31.196.0/24', 'reserved', 'an AS112 address (RFC 7535)'],
  ['192.52.193.0/24', 'reserved', 'an AMT address (RFC 7450)'],
  ['192.88.99.0/24', 'translated', 'a 6to4 relay address (RFC 7526)'],
  ['192.168.0.0/16', 'private', 'a private address (RFC 1918)'],
  ['192.175.48.0/24', 'reserved', 'an AS112 address (RFC 7534)'],
  ['198.18.0.0/15', 'reserved', 'an address for benchmarks (RFC 2544)'],
  ['198.51.100.0/24', 'reserved', 'an address for documentation (RFC 5737)'],
  ['203.0.113.0/24', 'reserved', 'an address for documentation (RFC 5737)'],
  ['224.0.0.0/4', 'multicast', 'a multicast address'],
  ['240.0.0.0/4', 'reserved', 'a reserved or broadcast address'],
  ['::', 'unspecified', 'the unspecified address'],
  ['::1', 'loopback', 'a loopback address'],
  ['::ffff:0:0/96', 'translated', 'an IPv4-mapped address (RFC 4291)'],
  ['::ffff:0:0:0/96', 'translated', 'an IPv4-translated address (RFC 2765)'],
  ['::/96', 'translated', 'an IPv4-compatible address (RFC 4291)'],
  ['64:ff9b::/96', 'translated', 'a NAT64 address (RFC 6052)'],
  ['64:ff9b:1::/48', 'translated', 'a local NAT64 address (RFC 8215)'],
  ['2001::/32', 'translated', 'a Teredo address (RFC 4380)'],
  ['2001::/23', 'reserved', 'an address for protocols (RFC 2928)'],
  ['2001:db8::/32', 'reserved', 'an address for documentation (RFC 3849)'],
  ['2002::/16', 'translated', 'a 6to4 address (RFC 3056)'],
  ['2620:4f:8000::/48', 'reserved', 'an AS112 address (RFC 7534)'],
  ['3fff::/20', 'reserved', 'an address for documentation (RFC 9637)'],
  ['fc00::/7', 'private', 'a unique local address (RFC 4193)'],
  ['fe80::/10', 'link-local', 'a link-local address'],
  ['fec0::/10', 'private', 'a site-local address (RFC 3879)'],
  ['ff00::/8', 'multicast', 'a multicast address'],
  // Only 2000::/3 is assigned to hosts of the Internet.
  ['::/3', 'reserved', 'a reserved address'],
  ['4000::/2', 'reserved', 'a reserved address'],
  ['8000::/1', 'reserved', 'a reserved address'],
];

interface Known extends SpecialRange {
  readonly prefix: Prefix;
}

const RANGES: readonly Known[] = ROWS.map(([network, kind, name]) => ({
  prefix: networkIn(network),
  kind,
  name,
}));

function networkIn(text: string): Prefix {
  const prefix = parsePrefix(text);
  if (prefix === undefined) throw new Error(`${text} is not a network`);
  return prefix;
}

/** What is special about an address; undefined for an ordinary one. */
export const specialRangeOf = (address: IpAddress): SpecialRange | undefined =>
  RANGES.find(({ prefix }) => holds(prefix, address));

/** Where each form of IPv6 address has its IPv4 address: bits to its right. Teredo inverts its bits. */
const EMBEDDED: readonly { readonly in: Prefix; readonly shift: bigint; readonly inverted?: boolean }[] = [
  { in: networkIn('::ffff:0:0/96'), shift: 0n },
  { in: networkIn('::ffff:0:0:0/96'), shift: 0n },
  { in: networkIn('64:ff9b::/96'), shift: 0n },
  { in: networkIn('64:ff9b:1::/48'), shift: 0n },
  { in: networkIn('2002::/16'), shift: 80n },
  { in: networkIn('2001::/32'), shift: 0n, inverted: true },
];

/** The IPv4 address that packets to this IPv6 address may reach in the end; undefined if it contains none. */
export function embeddedIpv4(address: IpAddress): IpAddress | undefined {
  const form = EMBEDDED.find(({ in: network }) => holds(network, address));
  if (form === undefined) return undefined;
  const bits = (address.value >> form.shift) & 0xffff_ffffn;
  return { version: 4, value: form.inverted === true ? bits ^ 0xffff_ffffn : bits };
}

const MAPPED = networkIn('::ffff:0:0/96');

/** Sockets to an IPv4-mapped address speak IPv4, so it is judged as that address. */
export const unmapped = (address: IpAddress): IpAddress =>
  holds(MAPPED, address) ? { version: 4, value: address.value & 0xffff_ffffn } : address;
