/**
 * Hosts: what conductors have of services and of machines. Nova's /os-hosts, until API 2.42.
 */

import type { Server } from '../../../domain/compute.ts';
import { IngotError } from '../../../domain/errors.ts';
import type { JsonObject } from '../../../domain/json.ts';
import { ALL_ROWS, listAll } from '../../../domain/store/page.ts';
import { MACHINES } from '../../../servers/places/machines.ts';
import { INTERNAL_ZONE, zoneOfService } from '../../../servers/places/zones.ts';
import { described } from '../../cloud/cloud-route.ts';
import type { ComputeDeps } from '../../cloud/deps.ts';
import type { App } from '../../kit/app.ts';
import { text } from '../../kit/readers.ts';
import { readQuery } from '../request.ts';
import { HYPERVISOR_FIELDS, usageOf } from './hypervisor-view.ts';

const LAST = 42;
const LIST = { zone: text() };

interface ByHost {
  Params: { host: string };
}

/** What is counted of a host: by all its machines, those in use, all its servers, and the servers of each project. */
interface Amounts {
  readonly cpu: number;
  readonly memory_mb: number;
  readonly disk_gb: number;
}

export function hostRoutes(app: App, { store, settings }: ComputeDeps): void {
  app.get(
    '/os-hosts',
    described('admin', 'List hosts', { until: LAST, query: LIST, list: 'hosts' }),
    async (request) => {
      const { zone: wanted } = readQuery(request, LIST);
      const services = await listAll(store.compute.computeServices, { isDisabled: false });
      const aggregates = await listAll(store.compute.aggregates, {});
      const zoneOf = (binary: string, host: string): string =>
        binary === 'nova-compute'
          ? zoneOfService(aggregates, host, settings.defaultAvailabilityZone)
          : INTERNAL_ZONE;
      const hosts = services.map(({ host, binary }) => ({
        host_name: host,
        service: binary.replace('nova-', ''),
        zone: zoneOf(binary, host),
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
      const usages = (await store.nodes.listShown(MACHINES, ALL_ROWS, HYPERVISOR_FIELDS)).map(usageOf);
      const servers = (await listAll(store.compute.servers, { host })).filter(
        ({ vmState }) => vmState !== 'deleted',
      );
      const total = usages.map(({ vcpus, memory_mb, local_gb }) => ({
        ...{ cpu: vcpus, memory_mb, disk_gb: local_gb },
      }));
      const used = usages.map(({ vcpus_used, memory_mb_used, local_gb_used }) => ({
        ...{ cpu: vcpus_used, memory_mb: memory_mb_used, disk_gb: local_gb_used },
      }));
      const byProject = Map.groupBy(servers, ({ projectId }) => projectId);
      const rows: [project: string, amounts: readonly Amounts[]][] = [
        ['(total)', total],
        ['(used_now)', used],
        ['(used_max)', servers.map(amountsOf)],
        ...[...byProject].map(([project, its]): [string, Amounts[]] => [project, its.map(amountsOf)]),
      ];
      return { host: rows.map(([project, amounts]) => resource(host, project, amounts)) };
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

const amountsOf = ({ flavor }: Server): Amounts => ({
  cpu: flavor.vcpus,
  memory_mb: flavor.ramMb,
  disk_gb: flavor.rootGb + flavor.ephemeralGb,
});

function resource(host: string, project: string, amounts: readonly Amounts[]): JsonObject {
  const sum = (key: keyof Amounts) => amounts.reduce((total, one) => total + one[key], 0);
  return {
    resource: { host, project, cpu: sum('cpu'), memory_mb: sum('memory_mb'), disk_gb: sum('disk_gb') },
  };
}
