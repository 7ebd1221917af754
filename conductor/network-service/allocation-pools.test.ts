import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { addressesAfter, checkPools, gaps, poolsWithout } from './allocation-pools.ts';
import {
  canonicalAddress,
  formatAddress,
  formatPrefix,
  netmaskOf,
  overlaps,
  parseAddress,
  parsePrefix,
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

  it('are read back as they were written', () => {
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

  it('of networks overlap or do not', () => {
    expect(overlaps(prefix('10.0.0.0/8'), prefix('10.9.0.0/24'))).toBe(true);
    expect(overlaps(prefix('10.9.0.0/24'), prefix('10.9.1.0/24'))).toBe(false);
    expect(overlaps(prefix('0.0.0.0/0'), prefix('::/0'))).toBe(false);
  });
});

describe('allocation pools', () => {
  it.each([
    ['10.0.0.0/29', ['10.0.0.1'], ['10.0.0.2-10.0.0.6']],
    ['10.0.0.0/29', ['10.0.0.3'], ['10.0.0.1-10.0.0.2', '10.0.0.4-10.0.0.6']],
    ['10.0.0.0/31', [], ['10.0.0.0-10.0.0.1']],
    ['10.0.0.0/30', ['10.0.0.1', '10.0.0.2'], []],
    ['fd00::/126', ['fd00::1'], ['fd00::2-fd00::3']],
  ])('of %s without %j are %j', (cidr, without, pools) => {
    const found = poolsWithout(prefix(cidr), without.map(value));
    expect(found.map(({ start, end }) => `${start}-${end}`)).toEqual(pools);
  });

  it('leave out what they must, and nothing else', () => {
    const range = fc
      .tuple(fc.integer({ min: 0, max: 60 }), fc.integer({ min: 0, max: 9 }))
      .map(([first, more]) => ({ first: BigInt(first), last: BigInt(first + more) }));
    fc.assert(
      fc.property(range, fc.array(range, { maxLength: 6 }), (whole, others) => {
        const inside = ({ first, last }: { first: bigint; last: bigint }, at: bigint) =>
          first <= at && at <= last;
        const found = gaps(whole, others);
        for (let at = -1n; at < 75n; at += 1n) {
          const expected = inside(whole, at) && !others.some((other) => inside(other, at));
          expect(found.filter((gap) => inside(gap, at)).length).toBe(expected ? 1 : 0);
        }
      }),
    );
  });

  it.each([
    [['10.0.0.9', '10.0.0.4'], 'InvalidAllocationPool'],
    [['x', '10.0.0.4'], 'InvalidAllocationPool'],
    [['fd00::1', 'fd00::2'], 'InvalidAllocationPool'],
    [['10.0.0.0', '10.0.0.4'], 'OutOfBoundsAllocationPool'],
    [['10.0.0.9', '10.0.1.4'], 'OutOfBoundsAllocationPool'],
    [['10.0.0.1', '10.0.0.4'], 'GatewayConflictWithAllocationPools'],
    [['10.0.0.2', '10.0.0.9', '10.0.0.9', '10.0.0.12'], 'OverlappingAllocationPools'],
  ])('%j are refused as %s', (ends, type) => {
    const pools = [ends.slice(0, 2), ends.slice(2)].filter((pair) => pair.length > 0);
    const check = () =>
      checkPools(
        pools.map(([start, end]) => ({ start: start!, end: end! })),
        prefix('10.0.0.0/24'),
        '10.0.0.0/24',
        '10.0.0.1',
      );
    expect(check).toThrow(expect.objectContaining({ type }));
  });

  it.each([
    [undefined, ['5', '6', '7', '1', '2']],
    ['10.0.0.6', ['7', '1', '2', '5', '6']],
    ['10.0.0.7', ['1', '2', '5', '6', '7']],
    ['10.0.0.2', ['5', '6', '7', '1', '2']],
    ['10.0.0.99', ['5', '6', '7', '1', '2']],
  ])('are gone through in order, after %s', (after, expected) => {
    const allocationPools = [
      { start: '10.0.0.5', end: '10.0.0.7' },
      { start: '10.0.0.1', end: '10.0.0.2' },
    ];
    const found = [...addressesAfter({ allocationPools, ipVersion: 4 }, after)];
    expect(found).toEqual(expected.map((last) => `10.0.0.${last}`));
  });
});
