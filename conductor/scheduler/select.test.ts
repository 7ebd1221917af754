import { describe, expect, it } from 'vitest';
import { hostState, type RequestChanges, requestSpec } from '../../test/fakes/scheduler.ts';
import { fc } from '../../test/random-cases.ts';
import { refusal } from './filters/filter.ts';
import { FILTER_NAMES } from './filters/table.ts';
import type { HostState } from './host-state.ts';
import { randomFrom } from './random.ts';
import type { RequestGroup } from './request-spec.ts';
import { select } from './select.ts';
import { DEFAULT_SETTINGS, planOf, type SchedulerSettings } from './settings.ts';

const run = (
  hosts: HostState[],
  request: RequestChanges,
  settings: Partial<SchedulerSettings> = {},
  seed = 1,
) => select(hosts, requestSpec(request), planOf({ ...DEFAULT_SETTINGS, ...settings }), randomFrom(seed));
const found = (...args: Parameters<typeof run>) =>
  run(...args).selections?.map(({ destination, alternates }) =>
    [destination, ...alternates].map(({ nodename }) => nodename),
  ) ?? null;
const uuids = (count: number) => Array.from({ length: count }, (_, n) => `instance-${n + 1}`);
const machines = (...rams: number[]) =>
  rams.map((ramMb, n) => hostState({ nodename: `node-${n + 1}`, ramMb: ramMb * 1_024 }));
const group = (
  policy: RequestGroup['policy'],
  members: Record<string, number> = {},
  maxServerPerHost = 1,
) => ({
  group: { policy, maxServerPerHost, members: new Map(Object.entries(members)) },
});
/** Racks by letter: `aab` is two machines in a, one in b; each is larger than the one before. */
const racks = (letters: string) =>
  [...letters].map((domain, n) =>
    hostState({ nodename: `${domain}${n + 1}`, domain, ramMb: (n + 2) * 1_024 }),
  );

describe('select', () => {
  it('selects the smallest machine that fits, and the next ones as alternates', () => {
    expect(found(machines(64, 16, 8, 32), { flavor: { ramMb: 16 * 1_024 } })).toEqual([
      ['node-2', 'node-4', 'node-1'],
    ]);
  });

  it('selects the largest with positive multipliers', () => {
    const multipliers = { RAMWeigher: 1 };
    expect(found(machines(64, 16, 8, 32), {}, { multipliers })).toEqual([['node-1', 'node-4', 'node-2']]);
  });

  it('avoids a machine where a build has failed, whatever its size', () => {
    const [bad, good] = machines(8, 64);
    expect(found([{ ...bad!, failedBuilds: 1 }, good!], {})).toEqual([['node-2', 'node-1']]);
  });

  it('gives each instance its own machine, and its own alternates while there are enough', () => {
    const request = { instanceUuids: uuids(2) };
    expect(found(machines(1, 2, 3, 4, 5, 6), request)).toEqual([
      ['node-1', 'node-3', 'node-5'],
      ['node-2', 'node-4', 'node-6'],
    ]);
    expect(found(machines(1, 2, 3), request)).toEqual([
      ['node-1', 'node-3'],
      ['node-2', 'node-3'],
    ]);
    expect(found(machines(1, 2), request)).toEqual([['node-1'], ['node-2']]);
  });

  it('finds all or none, unless the request accepts fewer', () => {
    expect(found(machines(1, 2), { instanceUuids: uuids(3) })).toBeNull();
    expect(found(machines(1, 2), { instanceUuids: uuids(3), minCount: 2 })).toEqual([['node-1'], ['node-2']]);
  });

  it('never selects a machine in use, even without filters', () => {
    const [taken, free] = machines(1, 2);
    expect(found([{ ...taken!, unusable: 'in use' }, free!], {}, { enabledFilters: [] })).toEqual([
      ['node-2'],
    ]);
  });

  it('limits are the sizes of the machine', () => {
    expect(run(machines(16), {}).selections?.[0]?.destination).toEqual({
      host: 'compute-1',
      nodename: 'node-1',
      limits: { vcpus: 8, memoryMb: 16_384, diskGb: 100 },
    });
  });

  it('spreads an anti-affinity group over the racks, alternates too', () => {
    const request = { instanceUuids: uuids(2), ...group('anti-affinity') };
    expect(found(racks('aabb'), request, { maxAttempts: 2 })).toEqual([
      ['a1', 'a2'],
      ['b3', 'b4'],
    ]);
    expect(found(racks('aab'), { ...request, ...group('anti-affinity', { b: 1 }) })).toBeNull();
    expect(found(racks('aa'), { ...request, ...group('anti-affinity', {}, 2) })).toEqual([['a1'], ['a2']]);
  });

  it('keeps an affinity group in one rack: where its members are, or where there is room for all', () => {
    const request = { instanceUuids: uuids(2), ...group('affinity') };
    expect(found(racks('abb'), request)).toEqual([['b2'], ['b3']]);
    expect(found(racks('aabb'), { ...request, ...group('affinity', { b: 1 }) })).toEqual([['b3'], ['b4']]);
    expect(found(racks('abc'), request)).toBeNull();
    expect(found(racks('abb'), { ...request, instanceUuids: uuids(3), minCount: 2 })).toEqual([
      ['b2'],
      ['b3'],
    ]);
  });

  it('weighs a soft group again for each instance', () => {
    const multipliers = { ServerGroupSoftAntiAffinityWeigher: 10, ServerGroupSoftAffinityWeigher: 10 };
    const request = { instanceUuids: uuids(3) };
    const first = (policy: RequestGroup['policy']) =>
      found(racks('aaabb'), { ...request, ...group(policy) }, { multipliers, maxAttempts: 1 });
    expect(first('soft-affinity')).toEqual([['a1'], ['a2'], ['a3']]);
    expect(first('soft-anti-affinity')).toEqual([['a1'], ['b4'], ['a2']]);
  });

  it('selects one of the best by the seed', () => {
    const seeds = Array.from({ length: 60 }, (_, seed) => seed);
    const picks = (settings: Partial<SchedulerSettings>, rams: number[]) =>
      new Set(
        seeds.map((seed) => found(machines(...rams), {}, { maxAttempts: 1, ...settings }, seed)?.[0]?.[0]),
      );
    expect(picks({}, [1, 1, 1, 2])).toEqual(new Set(['node-1']));
    expect(picks({ hostSubsetSize: 2 }, [1, 2, 3])).toEqual(new Set(['node-1', 'node-2']));
    expect(picks({ shuffleBestSameWeighedHosts: true }, [1, 1, 1, 2])).toEqual(
      new Set(['node-1', 'node-2', 'node-3']),
    );
  });
});

const hostArbitrary = fc.record({
  ramMb: fc.nat(8),
  vcpus: fc.nat(4),
  diskMb: fc.nat(8),
  domain: fc.constantFrom('a', 'b', 'c'),
  unusable: fc.option(fc.constant('in use'), { nil: undefined, freq: 4 }),
  failedBuilds: fc.nat(2),
  availabilityZone: fc.constantFrom('nova', 'other'),
});
const hostsArbitrary = fc
  .array(hostArbitrary, { maxLength: 12 })
  .map((all) => all.map((changes, n) => hostState({ ...changes, nodename: `node-${n}` })));
const requestArbitrary = fc
  .record({
    count: fc.integer({ min: 1, max: 4 }),
    ramMb: fc.nat(8),
    vcpus: fc.nat(4),
    policy: fc.option(fc.constantFrom('affinity', 'anti-affinity', 'soft-affinity', 'soft-anti-affinity')),
    zone: fc.option(fc.constantFrom('nova', 'other')),
  })
  .map(
    ({ count, ramMb, vcpus, policy, zone }): RequestChanges => ({
      instanceUuids: uuids(count),
      minCount: 1,
      flavor: { ramMb, vcpus, rootGb: 0 },
      ...(policy !== null && group(policy as RequestGroup['policy'])),
      ...(zone !== null && { availabilityZone: zone }),
    }),
  );
const settingsArbitrary = fc.record({
  enabledFilters: fc.subarray([...FILTER_NAMES]),
  hostSubsetSize: fc.integer({ min: 1, max: 3 }),
  shuffleBestSameWeighedHosts: fc.boolean(),
  maxAttempts: fc.integer({ min: 1, max: 3 }),
});

describe('select, whatever is asked', () => {
  it('never selects a machine twice, or one that a filter removes', () => {
    fc.assert(
      fc.property(
        hostsArbitrary,
        requestArbitrary,
        settingsArbitrary,
        fc.nat(),
        (hosts, request, settings, seed) => {
          const { selections, trace } = run(hosts, request, settings, seed);
          const given = (selections ?? []).map(({ destination }) => destination.nodename);
          expect(new Set(given).size).toBe(given.length);
          expect(
            hosts.filter((host) => host.unusable !== undefined && given.includes(host.nodename)),
          ).toEqual([]);
          for (const { alternates } of selections ?? []) {
            const names = alternates.map(({ nodename }) => nodename);
            expect(names.length).toBeLessThan(settings.maxAttempts);
            expect(new Set([...names, ...given]).size).toBe(names.length + given.length);
          }
          const passed = trace.ranking(hosts.length).map(({ host }) => host);
          expect(passed.length + trace.removals().length).toBe(hosts.length);
          const plan = planOf({ ...DEFAULT_SETTINGS, ...settings });
          for (const { chosen } of trace.rounds) {
            const refusals = plan.filters.map(({ filter }) => refusal(filter, chosen, trace.spec));
            expect(refusals.filter(Boolean)).toEqual([]);
          }
        },
      ),
    );
  });

  it('keeps to the policy of the group', () => {
    fc.assert(
      fc.property(hostsArbitrary, requestArbitrary, fc.nat(), (hosts, request, seed) => {
        const domains = run(hosts, request, {}, seed).trace.rounds.map(({ chosen }) => chosen.domain);
        const policy = request.group?.policy;
        if (policy === 'affinity') expect(new Set(domains).size).toBeLessThanOrEqual(1);
        if (policy === 'anti-affinity') expect(new Set(domains).size).toBe(domains.length);
      }),
    );
  });

  it('has the same result for the same seed', () => {
    fc.assert(
      fc.property(
        hostsArbitrary,
        requestArbitrary,
        settingsArbitrary,
        fc.nat(),
        (...[hosts, request, settings, seed]) => {
          const once = run(hosts, request, settings, seed).selections;
          expect(run(hosts, request, settings, seed).selections).toEqual(once);
        },
      ),
    );
  });

  it('neither a further filter nor another order of filters adds hosts', () => {
    const names = (...args: Parameters<typeof run>) =>
      new Set(
        run(...args)
          .trace.ranking(99)
          .map(({ host }) => host.nodename),
      );
    fc.assert(
      fc.property(
        hostsArbitrary,
        requestArbitrary.map((request) => ({ ...request, instanceUuids: uuids(1) })),
        fc.shuffledSubarray([...FILTER_NAMES], { minLength: 1 }),
        (hosts, request, enabledFilters) => {
          const all = names(hosts, request, { enabledFilters });
          const fewer = names(hosts, request, { enabledFilters: enabledFilters.slice(1) });
          expect([...all].filter((name) => !fewer.has(name))).toEqual([]);
          expect(names(hosts, request, { enabledFilters: enabledFilters.toReversed() })).toEqual(all);
        },
      ),
    );
  });

  it('the weights after removals are those of a new calculation', () => {
    const alone = requestArbitrary.filter(({ group }) => group === undefined);
    fc.assert(
      fc.property(hostsArbitrary, alone, (hosts, request) => {
        let left = hosts;
        for (const { chosen, weight } of run(hosts, request).trace.rounds) {
          const [first] = run(left, { ...request, instanceUuids: ['again'] }).trace.ranking(1);
          expect(first?.host).toBe(chosen);
          expect(first?.weight).toBeCloseTo(weight, 6);
          left = left.filter((host) => host !== chosen);
        }
      }),
    );
  });
});
