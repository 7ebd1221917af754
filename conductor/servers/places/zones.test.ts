import { describe, expect, it } from 'vitest';
import { requestableZones, zoneOfService, zonesByMachine, zonesInUse } from './zones.ts';

const aggregate = (hosts: readonly string[], zone?: string) => ({
  hosts,
  metadata: zone === undefined ? { ssd: 'true' } : { availability_zone: zone },
});
const N1 = { uuid: 'n1', name: 'rack1' };
const N2 = { uuid: 'n2', name: null };

describe('the zone', () => {
  it('of a machine comes from its service, its UUID or its name, else it is the default', () => {
    const zoneOf = zonesByMachine([aggregate(['rack1'], 'az-1'), aggregate(['n2'])], 'c1', 'nova');
    expect([zoneOf(N1), zoneOf(N2)]).toEqual(['az-1', 'nova']);
    const whole = zonesByMachine([aggregate(['n2'], 'az-2'), aggregate(['c1'], 'az-1')], 'c1', 'nova');
    expect([whole(N1), whole(N2)]).toEqual(['az-1', 'az-1']);
  });

  it('of a compute service comes from its aggregate; other services have no machines', () => {
    const aggregates = [aggregate(['c1'], 'az-1')];
    expect(zoneOfService(aggregates, { binary: 'nova-compute', host: 'c1' }, 'nova')).toBe('az-1');
    expect(zoneOfService(aggregates, { binary: 'nova-compute', host: 'c2' }, 'nova')).toBe('nova');
    expect(zoneOfService(aggregates, { binary: 'nova-scheduler', host: 'c1' }, 'nova')).toBe('internal');
  });
});

describe('the zones', () => {
  it('that servers can ask for are those of all aggregates, and the default', () => {
    expect(requestableZones([aggregate([], 'az-1'), aggregate(['n1'])], 'nova')).toEqual(
      new Set(['az-1', 'nova']),
    );
  });

  it.each([
    ['no machine', [], [], ['nova']],
    ['machines outside of zones', [], [N1], ['nova']],
    ['a zone of all machines', [aggregate(['n1', 'n2'], 'az-1')], [N1, N2], ['az-1']],
    ['a zone whose machine is still to come', [aggregate(['n9'], 'az-9')], [N1], ['az-9', 'nova']],
    ['a zone without hosts', [aggregate([], 'az-1')], [N1], ['nova']],
  ])('in use with %s', (_, aggregates, machines, zones) => {
    expect(zonesInUse(aggregates, machines, 'c1', 'nova')).toEqual(zones);
  });
});
