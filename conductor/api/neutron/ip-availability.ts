/** `/v2.0/network-ip-availabilities`: how many addresses the pools of each network have, and how many are in use. */

import type { Network, Subnet } from '../../domain/compute.ts';
import { parseAddress } from '../../domain/ip-address.ts';
import type { JsonObject } from '../../domain/json.ts';
import { listAll } from '../../domain/store/page.ts';
import type { Store } from '../../domain/store/store.ts';
import { refused } from '../../network-service/network-error.ts';
import { described } from '../cloud/cloud-route.ts';
import type { ComputeDeps } from '../cloud/deps.ts';
import type { App } from '../kit/app.ts';
import type { QueryValues } from '../kit/query-values.ts';
import { VERSION } from './collection.ts';
import { listOf } from './list-query.ts';

const SHOWN = [
  'network_id',
  'network_name',
  'tenant_id',
  'project_id',
  'total_ips',
  'used_ips',
  'ip_version',
];

export function registerIpAvailability(app: App, { store }: ComputeDeps): void {
  const path = `${VERSION}/network-ip-availabilities`;

  app.get(
    path,
    described('admin', 'List how many addresses networks have and use', {
      list: 'network_ip_availabilities',
    }),
    async (request) => {
      const { ip_version: version, ...query } = request.query as QueryValues;
      const networks = await listAll(store.compute.networks, {});
      const all = await Promise.all(networks.map((network) => availabilityOf(store, network, version)));
      return { network_ip_availabilities: listOf(all, query, SHOWN).items };
    },
  );
  app.get(
    `${path}/:id`,
    described('admin', 'Show how many addresses a network has and uses', { item: 'network_ip_availability' }),
    async (request) => {
      const { id } = request.params as { readonly id: string };
      const network = await store.compute.networks.find(id);
      if (network === undefined) throw refused.networkNotFound(id);
      return { network_ip_availability: await availabilityOf(store, network, undefined) };
    },
  );
}

/** Approximate above 2^53 addresses. */
const sizeOf = ({ allocationPools }: Subnet): number =>
  allocationPools.reduce((sum, { start, end }) => {
    const [from, to] = [parseAddress(start), parseAddress(end)];
    return from === undefined || to === undefined ? sum : sum + Number(to.value - from.value + 1n);
  }, 0);

async function availabilityOf(
  { compute }: Store,
  { uuid, name, projectId }: Network,
  version: QueryValues[string],
): Promise<JsonObject> {
  const all = await listAll(compute.subnets, { networkUuid: uuid });
  const subnets = all.filter(({ ipVersion }) => version === undefined || String(ipVersion) === version);
  const each = await Promise.all(
    subnets.map(async (subnet) => ({
      subnet_id: subnet.uuid,
      subnet_name: subnet.name,
      cidr: subnet.cidr,
      ip_version: subnet.ipVersion,
      total_ips: sizeOf(subnet),
      used_ips: (await listAll(compute.ipAllocations, { subnetUuid: subnet.uuid })).length,
    })),
  );
  return {
    network_id: uuid,
    network_name: name,
    tenant_id: projectId,
    project_id: projectId,
    total_ips: each.reduce((sum, one) => sum + one.total_ips, 0),
    used_ips: each.reduce((sum, one) => sum + one.used_ips, 0),
    subnet_ip_availability: each,
  };
}
