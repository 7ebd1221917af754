/**
 * Hosts: services and machines of each conductor. Nova's /os-hosts, until API 2.42.
 */

import { IngotError } from '../../../domain/errors.ts';
import type { JsonObject } from '../../../domain/json.ts';
import { ALL_ROWS, listAll } from '../../../domain/store/page.ts';
import type { Size } from '../../../scheduler/machine-size.ts';
import { hostUsage } from '../../../servers/places/host-usage.ts';
import { MACHINES } from '../../../servers/places/machines.ts';
import { zoneOfService } from '../../../servers/places/zones.ts';
import { described } from '../../cloud/cloud-route.ts';
import type { ComputeDeps } from '../../cloud/deps.ts';
import type { App } from '../../kit/app.ts';
import { text } from '../../kit/readers.ts';
import { readQuery } from '../request.ts';

const LAST = 42;
const LIST = { zone: text() };

interface ByHost {
  Params: { host: string };
}

export function hostRoutes(app: App, { store, settings }: ComputeDeps): void {
  app.get(
    '/os-hosts',
    described('admin', 'List hosts', { until: LAST, query: LIST, list: 'hosts' }),
    async (request) => {
      const { zone: wanted } = readQuery(request, LIST);
      const services = await listAll(store.compute.computeServices, { isDisabled: false });
      const aggregates = await listAll(store.compute.aggregates, {});
      const hosts = services.map((service) => ({
        host_name: service.host,
        service: service.binary.replace('nova-', ''),
        zone: zoneOfService(aggregates, service, settings.defaultAvailabilityZone),
      }));
      return { hosts: hosts.filter(({ zone }) => !wanted || zone === wanted) };
    },
  );

  app.get<ByHost>(
    '/os-hosts/:host',
    described('admin', 'Show the resources of a host', { until: LAST, list: 'host' }),
    async ({ params: { host } }) => {
      if (host !== settings.host)
        throw new IngotError('notFound', `Compute host ${host.slice(0, 255)} could not be found.`);
      const machines = await store.nodes.listShown(MACHINES, ALL_ROWS, ['properties', 'instanceUuid']);
      const usage = hostUsage(machines, await listAll(store.compute.servers, { host }));
      const rows = [
        ['(total)', usage.total],
        ['(used_now)', usage.used],
        ['(used_max)', usage.requested],
        ...usage.requestedByProject,
      ] as const;
      return { host: rows.map(([project, size]) => resource(host, project, size)) };
    },
  );

  for (const [method, path] of [
    ['PUT', '/os-hosts/:host'],
    ['GET', '/os-hosts/:host/startup'],
    ['GET', '/os-hosts/:host/shutdown'],
    ['GET', '/os-hosts/:host/reboot'],
  ] as const) {
    app.route({
      method,
      url: path,
      ...described('admin', 'Refused: a host is the conductor itself', { until: LAST }),
      handler: async () => {
        throw new IngotError(
          'unsupported',
          'A host is the conductor itself: disable its service to keep servers away, and switch machines by the bare-metal API.',
        );
      },
    });
  }
}

const resource = (host: string, project: string, { vcpus, ramMb, diskGb }: Size): JsonObject => ({
  resource: { host, project, cpu: vcpus, memory_mb: ramMb, disk_gb: diskGb },
});
