/** Parsing and formatting of addresses and networks, invalid texts, and the network of an interface. */
import { SocketAddress } from 'node:net';
import { describe, expect, it } from 'vitest';
import { fc } from '../../test/random-cases.ts';
import {
  canonicalAddress,
  formatAddress,
  formatPrefix,
  holds,
  netmaskOf,
  networkOf,
  overlaps,
  parseAddress,
  parsePrefix,
  usable,
} from './ip-address.ts';

const prefix = (text: string) => parsePrefix(text)!;
const value = (text: string) => parseAddress(text)!.value;

describe('addresses', () => {
  it.each([
    ['10.0.0.1', '10.0.0.1'],
    ['255.255.255.255', '255.255.255.255'],
    ['2001:0DB8:0:0:0:0:0:1', '2001:db8::1'],
    ['::', '::'],
    ['::ffff:10.1.2.3', '::ffff:10.1.2.3'],
    ['1:2:3:4:5:6:7:8', '1:2:3:4:5:6:7:8'],
  ])('%s is %s', (text, canonical) => expect(canonicalAddress(text)).toBe(canonical));

  it.each(['', '10.0.0', '10.0.0.256', '010.0.0.1', 'fe80::1%eth0', '::1::', '10.0.0.1/24', 'x'])(
    '%j is none',
    (text) => expect(parseAddress(text)).toBeUndefined(),
  );

  it.each([
    ['10.1.2.3/24', '10.1.2.0/24', '255.255.255.0'],
    ['0.0.0.0/0', '0.0.0.0/0', '0.0.0.0'],
    ['10.1.2.3', '10.1.2.3/32', '255.255.255.255'],
    ['2001:db8::5/48', '2001:db8::/48', 'ffff:ffff:ffff::'],
  ])('%s is the network %s with mask %s', (text, canonical, mask) =>
    expect([formatPrefix(prefix(text)), netmaskOf(prefix(text))]).toEqual([canonical, mask]),
  );

  it.each(['10.0.0.0/33', '::/129', '10.0.0.0/', '10.0.0.0/24/8', '10.0.0.0/-1', 'x/8'])(
    '%j is no network',
    (text) => expect(parsePrefix(text)).toBeUndefined(),
  );

  it('are parsed back to the same value', () => {
    const any = fc.oneof(
      fc.bigInt(0n, (1n << 32n) - 1n).map((number) => ({ version: 4 as const, value: number })),
      fc.bigInt(0n, (1n << 128n) - 1n).map((number) => ({ version: 6 as const, value: number })),
    );
    fc.assert(
      fc.property(any, (address) => {
        expect(parseAddress(formatAddress(address))).toEqual(address);
      }),
    );
  });

  it('of networks overlap exactly when they share an address', () => {
    expect(overlaps(prefix('10.0.0.0/8'), prefix('10.9.0.0/24'))).toBe(true);
    expect(overlaps(prefix('10.9.0.0/24'), prefix('10.9.1.0/24'))).toBe(false);
    expect(overlaps(prefix('0.0.0.0/0'), prefix('::/0'))).toBe(false);
  });

  it('of IPv6 are formatted as inet_ntop formats them', () => {
    // Groups of few bits, so that runs of zeros and embedded IPv4 addresses occur.
    const group = fc.oneof(fc.constant(0), fc.constant(0xffff), fc.integer({ min: 0, max: 0xffff }));
    fc.assert(
      fc.property(fc.array(group, { minLength: 8, maxLength: 8 }), (groups) => {
        const address = groups.map((one) => one.toString(16)).join(':');
        const system = new SocketAddress({ address, family: 'ipv6' }).address;
        expect(canonicalAddress(address)).toBe(system);
      }),
      { numRuns: 2_000 },
    );
  });

  it.each([
    ['::1', '::1'],
    ['::ffff', '::ffff'],
    ['::1:0', '::0.1.0.0'],
    ['::10.1.2.3', '::10.1.2.3'],
    ['::1:10.1.2.3', '::1:a01:203'],
  ])('%s with or without an embedded IPv4 address is %s', (text, canonical) =>
    expect(canonicalAddress(text)).toBe(canonical),
  );

  it('are in a network, its ends included, or outside', () => {
    const network = prefix('10.0.1.0/24');
    const inside = ['10.0.1.0', '10.0.1.255'].map((text) => holds(network, parseAddress(text)!));
    const outside = ['10.0.0.255', '10.0.2.0', '::a00:101'].map((text) =>
      holds(network, parseAddress(text)!),
    );
    expect([inside, outside]).toEqual([
      [true, true],
      [false, false, false],
    ]);
  });
});

describe('the addresses that machines may use', () => {
  it.each([
    ['10.0.0.0/24', '10.0.0.1', '10.0.0.254'],
    ['10.0.0.0/30', '10.0.0.1', '10.0.0.2'],
    ['10.0.0.0/31', '10.0.0.0', '10.0.0.1'],
    ['10.0.0.7/32', '10.0.0.7', '10.0.0.7'],
    ['fd00::/64', 'fd00::1', 'fd00::ffff:ffff:ffff:ffff'],
    ['fd00::/127', 'fd00::', 'fd00::1'],
  ])('of %s are %s to %s', (network, first, last) =>
    expect(usable(prefix(network))).toEqual({ first: value(first), last: value(last) }),
  );
});

describe('the network of an interface', () => {
  it.each([
    ['200.1.2.3', '255.255.254.0', '200.1.2.0/23', '200.1.3.255'],
    ['10.0.0.1', '255.0.0.0', '10.0.0.0/8', '10.255.255.255'],
    ['10.0.0.1', '255.255.255.255', '10.0.0.1/32', '10.0.0.1'],
  ])('%s with netmask %s is %s', (address, netmask, network, broadcast) => {
    const found = networkOf({ address, netmask });
    expect(formatPrefix(found)).toBe(network);
    expect(formatAddress({ version: 4, value: found.last })).toBe(broadcast);
  });

  it.each([
    ['10.0.0.1', '255.0.255.0'],
    ['10.0.0.1', '24'],
    ['10.0.0', '255.255.255.0'],
    ['fd00::1', '255.255.255.0'],
  ])('%s with netmask %s is refused', (address, netmask) =>
    expect(() => networkOf({ address, netmask })).toThrow(`${address} with netmask ${netmask}`),
  );
});
