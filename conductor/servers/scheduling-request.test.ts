import { describe, expect, it } from 'vitest';
import { imageOf, serverOf } from '../../test/fakes/compute/records.ts';
import { hostState } from '../../test/fakes/scheduler.ts';
import type { ServerGroup } from '../domain/compute.ts';
import { DEFAULT_SETTINGS, planOf } from '../scheduler/settings.ts';
import { checkSchedulable, placesFor, type SchedulingRequest, specFor } from './scheduling-request.ts';

const request = (changes: Partial<SchedulingRequest> = {}): SchedulingRequest => ({
  servers: [serverOf()],
  image: undefined,
  group: undefined,
  members: [],
  ...changes,
});
const spec = (changes: Partial<SchedulingRequest> = {}) => specFor(request(changes), [], new Map());

describe('the request to the scheduler', () => {
  it('asks for a place for each server, and at least for the minimum of the request', () => {
    const servers = ['a', 'b'].map((uuid) => serverOf({ uuid, minCount: 2, availabilityZone: 'az-1' }));
    expect(spec({ servers })).toMatchObject({
      instanceUuids: ['a', 'b'],
      minCount: 2,
      availabilityZone: 'az-1',
    });
    expect(spec({ servers: servers.slice(1) })).toMatchObject({ instanceUuids: ['b'], minCount: 1 });
  });

  it('contains the hints and the image for filters', () => {
    const schedulerHints = { same_host: 'a', different_host: ['b', 5], query: ['=', '$vcpus', 4], ours: 'x' };
    const image = imageOf({ properties: { hw_architecture: 'aarch64' } });
    const asked = spec({ servers: [serverOf({ schedulerHints })], image });
    expect(asked).toMatchObject({ sameHost: ['a'], differentHost: ['b'], image: { uuid: image.uuid } });
    expect(asked.query).toBeDefined();
    expect(asked.imageNeeds.wanted).toEqual([['architecture', 'aarch64']]);
  });

  it('counts group members at their node or at the node reserved for them', () => {
    const group = { policy: 'affinity', maxServerPerHost: 1 } as ServerGroup;
    const members = [serverOf({ uuid: 'built', nodeUuid: 'n1' }), serverOf({ uuid: 'chosen' })];
    const hosts = ['n1', 'n2', 'n3'].map((nodename) => hostState({ nodename, domain: 'rack' }));
    const asked = specFor(
      request({ group, members }),
      hosts,
      new Map([
        ['n2', 'chosen'],
        ['n3', 'other'],
      ]),
    );
    expect(asked.group).toMatchObject({ policy: 'affinity', members: new Map([['rack', 2]]) });
  });

  it.each([
    [{ 'trait:A': 'maybe' }, 'extra spec trait:A: must be required or forbidden'],
    [{ 'resources:VCPU': 'x' }, 'extra spec resources:VCPU: the amount must be a whole number'],
  ])('is refused with the extra specs %j', (extraSpecs, message) => {
    const server = serverOf();
    const servers = [{ ...server, flavor: { ...server.flavor, extraSpecs } }];
    expect(() => checkSchedulable(servers)).toThrow(message);
  });
});

describe('the candidate hosts', () => {
  const hosts = [
    hostState({ nodename: 'n1', name: 'rack1' }),
    hostState({ nodename: 'n2' }),
    hostState({ nodename: 'n3', host: 'other' }),
  ];
  const places = (forcedPlace: ReturnType<typeof serverOf>['forcedPlace']) => {
    const found = placesFor({ forcedPlace }, hosts, DEFAULT_SETTINGS);
    return [found.hosts.map(({ nodename }) => nodename), found.plan.filters.length];
  };

  it('are all hosts, with all filters, unless an administrator names one', () => {
    expect(places(null)).toEqual([['n1', 'n2', 'n3'], planOf(DEFAULT_SETTINGS).filters.length]);
    expect(places({ host: 'other', nodename: null })[0]).toEqual(['n3']);
    expect(places({ host: null, nodename: 'rack1' })[0]).toEqual(['n1']);
    expect(places({ host: 'other', nodename: 'n2' })[0]).toEqual([]);
    expect(places({ host: null, nodename: 'n2' })[1]).toBeLessThan(planOf(DEFAULT_SETTINGS).filters.length);
  });
});
