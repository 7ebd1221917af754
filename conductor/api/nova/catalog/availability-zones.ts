/**
 * The availability zones of machines. Nova's /os-availability-zone.
 */

import type { ComputeService } from '../../../domain/compute.ts';
import { listAll } from '../../../domain/store/page.ts';
import { isUp } from '../../../scheduler/service-state.ts';
import { everyMachine } from '../../../servers/places/machines.ts';
import { INTERNAL_ZONE, zonesInUse } from '../../../servers/places/zones.ts';
import { described } from '../../cloud/cloud-route.ts';
import type { ComputeDeps } from '../../cloud/deps.ts';
import type { App } from '../../kit/app.ts';
import { naiveTime } from '../time.ts';

interface Zone {
  readonly zoneName: string;
  readonly zoneState: { readonly available: boolean };
  readonly hosts: Readonly<Record<string, Readonly<Record<string, object>>>> | null;
}

export function availabilityZoneRoutes(app: App, { store, settings, now }: ComputeDeps): void {
  /** With `hosts` when details are requested. */
  async function zones(isDetailed: boolean): Promise<Zone[]> {
    const { host, defaultAvailabilityZone, serviceDownMs } = settings;
    const [machines, aggregates, services] = await Promise.all([
      everyMachine(store),
      listAll(store.compute.aggregates, {}),
      listAll(store.compute.computeServices, {}),
    ]);
    const time = now();
    const enabled = services.filter(({ isDisabled }) => !isDisabled);
    const hostsOf = (some: readonly ComputeService[]) =>
      Object.fromEntries(
        some.map((service) => [service.host, { [service.binary]: stateOf(service, time, serviceDownMs) }]),
      );
    const names = zonesInUse(aggregates, machines, host, defaultAvailabilityZone);
    const building = enabled.filter(({ binary }) => binary === 'nova-compute');
    const available = building.some((service) => service.host === host);
    const hosts = isDetailed && available ? hostsOf(building) : null;
    const listed = names.map((zoneName) => ({ zoneName, zoneState: { available }, hosts }));
    const others = enabled.filter(({ binary }) => binary !== 'nova-compute');
    if (!isDetailed || others.length === 0) return listed;
    return [{ zoneName: INTERNAL_ZONE, zoneState: { available: true }, hosts: hostsOf(others) }, ...listed];
  }

  app.get(
    '/os-availability-zone',
    described('reader', 'List availability zones', { list: 'availabilityZoneInfo' }),
    async () => ({
      availabilityZoneInfo: await zones(false),
    }),
  );
  app.get(
    '/os-availability-zone/detail',
    described('admin', 'List availability zones with their services', { list: 'availabilityZoneInfo' }),
    async () => ({
      availabilityZoneInfo: await zones(true),
    }),
  );
}

const stateOf = (service: ComputeService, now: Date, downMs: number) => ({
  available: isUp(service, now, downMs),
  active: true,
  updated_at: service.reportedAt && naiveTime(service.reportedAt),
});
