import type { FastifyRequest } from 'fastify';
import { expect, it } from 'vitest';
import type { Flavor } from '../../../domain/compute.ts';
import { flavorDetail, flavorSummary } from './flavor-view.ts';

const FLAVOR = {
  ...{
    id: 1,
    uuid: 'a/b',
    name: 'gold',
    description: 'fast',
    ramMb: 1024,
    vcpus: 4,
    rootGb: 10,
    ephemeralGb: 0,
  },
  ...{ swapMb: 0, rxtxFactor: 1, isPublic: true, isDisabled: false, extraSpecs: { a: 'b' } },
} as unknown as Flavor;
const at = (minor: number): FastifyRequest =>
  ({ minor, originalUrl: '/compute/v2.1/flavors', protocol: 'http', host: 'h' }) as never;

it('links of a flavor escape its id', () => {
  expect(flavorSummary(FLAVOR, at(1), null).links[0]?.href).toBe('http://h/compute/v2.1/flavors/a%2Fb');
});

it.each([
  [54, false, false, ''],
  [55, true, false, ''],
  [61, true, true, ''],
  [75, true, true, 0],
])('2.%i: description %s, extra specs %s, no swap is %j', (minor, hasDescription, hasSpecs, swap) => {
  const detail = flavorDetail(FLAVOR, at(minor), null);
  expect(['description' in detail, 'extra_specs' in detail, detail.swap]).toEqual([
    hasDescription,
    hasSpecs,
    swap,
  ]);
});
