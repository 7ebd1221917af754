import { describe, expect, it } from 'vitest';
import { hostState, type RequestChanges, requestSpec } from '../../test/fakes/scheduler.ts';
import { explain } from './explain.ts';
import type { HostState } from './host-state.ts';
import { randomFrom } from './random.ts';
import { select } from './select.ts';
import { DEFAULT_SETTINGS, planOf } from './settings.ts';

const plan = planOf({
  ...DEFAULT_SETTINGS,
  enabledFilters: ['AvailabilityZoneFilter', 'RamFilter', 'CoreFilter', 'ServerGroupAntiAffinityFilter'],
  multipliers: { DiskWeigher: 0, CPUWeigher: 0, LeastRecentlyUsedWeigher: 0, ImageCachedWeigher: 0 },
});
const report = (hosts: HostState[], request: RequestChanges) =>
  explain(select(hosts, requestSpec(request), plan, randomFrom(1)), plan, 10);

describe('explain', () => {
  it('shows which filter removed each host and why, and the weights of the others', () => {
    const hosts = [
      hostState({ nodename: 'small', ramMb: 512 }),
      hostState({ nodename: 'large', ramMb: 4_096, failedBuilds: 1 }),
      hostState({ nodename: 'busy', name: 'rack1-07', unusable: 'in use by instance x' }),
      hostState({ nodename: 'fitting', ramMb: 1_024 }),
    ];
    const said = report(hosts, {});
    expect(said.filters).toEqual([
      { filter: 'Inventory', before: 4, removed: 1 },
      { filter: 'AvailabilityZoneFilter', before: 3, removed: 0 },
      { filter: 'RamFilter', before: 3, removed: 1 },
      { filter: 'CoreFilter', before: 2, removed: 0 },
      { filter: 'ServerGroupAntiAffinityFilter', before: 2, removed: 0 },
    ]);
    expect(said.removed).toEqual([
      {
        host: 'compute-1',
        nodename: 'busy',
        name: 'rack1-07',
        filter: 'Inventory',
        reason: 'in use by instance x',
      },
      {
        host: 'compute-1',
        nodename: 'small',
        name: null,
        filter: 'RamFilter',
        reason: '512 MB of memory, asked for 1024 MB',
      },
    ]);
    expect(said.weighed.map(({ nodename, weight }) => [nodename, weight])).toEqual([
      ['fitting', 1_000_000 - 0.25],
      ['large', -1],
    ]);
    expect(said.weighed[1]?.scores).toEqual([
      { weigher: 'RAMWeigher', multiplier: -1, raw: 4_096, scaled: 1 },
      { weigher: 'ServerGroupSoftAffinityWeigher', multiplier: 1, raw: 0, scaled: 0 },
      { weigher: 'ServerGroupSoftAntiAffinityWeigher', multiplier: 1, raw: 0, scaled: 0 },
      { weigher: 'BuildFailureWeigher', multiplier: 1_000_000, raw: -1, scaled: 0 },
    ]);
    expect(said.instances).toMatchObject([
      { instanceUuid: 'instance-1', nodename: 'fitting', candidates: 2, alternates: [{ nodename: 'large' }] },
    ]);
    expect(said.fault).toBeNull();
  });

  it('shows how one instance of the request affects the next', () => {
    const hosts = ['a', 'a', 'b'].map((domain, n) => hostState({ nodename: `node-${n}`, domain }));
    const group = { policy: 'anti-affinity', maxServerPerHost: 1, members: new Map() } as const;
    const { instances } = report(hosts, { instanceUuids: ['one', 'two'], group });
    expect(instances[0]?.removed.map(({ nodename, reason }) => [nodename, reason])).toEqual([
      ['node-0', 'taken by instance one of this request'],
      ['node-1', 'a holds 1 of the server group, allowed are 1'],
    ]);
    expect(instances.map(({ candidates }) => candidates)).toEqual([3, 1]);
  });
});

describe('the fault of a request without hosts', () => {
  const message = (...args: Parameters<typeof report>) => report(...args).fault?.message;

  it('names the filter that removed most hosts, and the nearest miss', () => {
    const hosts = [
      hostState({ nodename: 'n1', ramMb: 512, vcpus: 1 }),
      hostState({ nodename: 'n2', ramMb: 512, vcpus: 1 }),
      hostState({ nodename: 'n3', name: 'rack1-03', vcpus: 1 }),
      hostState({ nodename: 'n4', vcpus: 4, unusable: 'in maintenance' }),
    ];
    expect(report(hosts, { flavor: { vcpus: 4 } }).fault).toEqual({
      code: 500,
      message:
        'No valid host was found. Of 4 hosts RamFilter removed most, 2. ' +
        'Nearest miss: rack1-03 (n3), refused by CoreFilter: 1 processors, asked for 4.',
    });
  });

  it('lists all reasons of the nearest miss', () => {
    expect(message([hostState({ ramMb: 1, vcpus: 0 })], {})).toBe(
      'No valid host was found. Of 1 host RamFilter removed most, 1. Nearest miss: node-1, refused by ' +
        'RamFilter: 1 MB of memory, asked for 1024 MB; CoreFilter: 0 processors, asked for 1.',
    );
  });

  it('contains the number of instances with a host', () => {
    expect(message([hostState()], { instanceUuids: ['one', 'two'] })).toBe(
      'No valid host was found. There are hosts for 1 of 2 instances. Of 1 host Inventory removed most, 1.',
    );
  });

  it('reports that a machine was free except for other members of the group', () => {
    const hosts = ['n1', 'n2'].map((nodename) => hostState({ nodename, domain: 'rack-1' }));
    const group = { policy: 'anti-affinity', maxServerPerHost: 1, members: new Map() } as const;
    expect(message(hosts, { instanceUuids: ['one', 'two'], group })).toContain(
      'Nearest miss: n2, refused by ServerGroupAntiAffinityFilter: rack-1 holds 1 of the server group',
    );
  });

  it('reports that there are no machines at all', () => {
    expect(message([], {})).toBe(
      'No valid host was found. There are no hosts: no node is known to the compute service.',
    );
  });
});
