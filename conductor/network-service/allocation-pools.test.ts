import { describe, expect, it } from 'vitest';
import { fc } from '../../test/random-cases.ts';
import { parseAddress, parsePrefix } from '../domain/ip-address.ts';
import { addressesAfter, checkPools, gaps, poolsWithout } from './allocation-pools.ts';

const prefix = (text: string) => parsePrefix(text)!;
const value = (text: string) => parseAddress(text)!.value;

describe('allocation pools', () => {
  it.each([
    ['10.0.0.0/29', ['10.0.0.1'], ['10.0.0.2-10.0.0.6']],
    ['10.0.0.0/29', ['10.0.0.3'], ['10.0.0.1-10.0.0.2', '10.0.0.4-10.0.0.6']],
    ['10.0.0.0/31', [], ['10.0.0.0-10.0.0.1']],
    ['10.0.0.0/30', ['10.0.0.1', '10.0.0.2'], []],
    ['fd00::/126', ['fd00::1'], ['fd00::2-fd00::3']],
  ])('the pools of %s without %j are %j', (cidr, without, pools) => {
    const found = poolsWithout(prefix(cidr), without.map(value));
    expect(found.map(({ start, end }) => `${start}-${end}`)).toEqual(pools);
  });

  it('the gaps of a range contain exactly the addresses that no other range covers', () => {
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
  ])('rejects %j as %s', (ends, type) => {
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
  ])('the addresses after %s come first', (after, expected) => {
    const allocationPools = [
      { start: '10.0.0.5', end: '10.0.0.7' },
      { start: '10.0.0.1', end: '10.0.0.2' },
    ];
    const found = [...addressesAfter({ allocationPools, ipVersion: 4 }, after)];
    expect(found).toEqual(expected.map((last) => `10.0.0.${last}`));
  });
});
