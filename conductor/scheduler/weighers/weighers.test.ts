import { describe, expect, it } from 'vitest';
import { hostState, type RequestChanges, requestSpec } from '../../../test/fakes/scheduler.ts';
import type { HostState } from '../host-state.ts';
import { WEIGHER_NAMES, type WeigherName, weighersOf } from './table.ts';

const members = new Map([['rack-1', 3]]);
const group = (policy: 'soft-affinity' | 'soft-anti-affinity' | 'affinity'): RequestChanges => ({
  group: { policy, maxServerPerHost: 1, members },
});
const here = { domain: 'rack-1' };
const image = { image: { uuid: 'image-1', properties: {} } };

const CASES: Readonly<
  Record<WeigherName, readonly (readonly [string, Partial<HostState>, RequestChanges, number])[]>
> = {
  RAMWeigher: [['memory', { ramMb: 5 }, {}, 5]],
  DiskWeigher: [['disk', { diskMb: 6 }, {}, 6]],
  CPUWeigher: [['processors', { vcpus: 7 }, {}, 7]],
  ServerGroupSoftAffinityWeigher: [
    ['no group', here, {}, 0],
    ['members there', here, group('soft-affinity'), 3],
    ['members elsewhere', {}, group('soft-affinity'), 0],
    ['another policy', here, group('soft-anti-affinity'), 0],
  ],
  ServerGroupSoftAntiAffinityWeigher: [
    ['no group', here, {}, 0],
    ['members there', here, group('soft-anti-affinity'), -3],
    ['members elsewhere', {}, group('soft-anti-affinity'), -0],
    ['another policy', here, group('affinity'), 0],
  ],
  BuildFailureWeigher: [['failed builds', { failedBuilds: 2 }, {}, -2]],
  ImageCachedWeigher: [
    ['cached', { cachedImages: new Set(['image-1']) }, image, 1],
    ['not cached', { cachedImages: new Set(['image-2']) }, image, 0],
    ['no image', { cachedImages: new Set(['image-1']) }, {}, 0],
  ],
  LeastRecentlyUsedWeigher: [['used', { lastUsedAtMs: 10 }, {}, -10]],
};

describe.each(WEIGHER_NAMES)('%s', (name) => {
  const entry = weighersOf({ [name]: 2.5 }).find((one) => one.name === name);

  it.each(CASES[name])('%s', (_, host, request, raw) => {
    expect(entry?.weigher(hostState(host), requestSpec(request))).toBe(raw);
  });

  it('has the configured multiplier, and is off with 0', () => {
    expect(entry?.multiplier).toBe(2.5);
    expect(weighersOf({ [name]: 0 }).map((one) => one.name)).not.toContain(name);
  });
});
