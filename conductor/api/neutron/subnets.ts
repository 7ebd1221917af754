/**
 * Subnets: `/v2.0/subnets`. The addresses of a network; only administrators create them, like networks.
 */
import type { Subnet } from '../../domain/compute.ts';
import type { JsonObject } from '../../domain/json.ts';
import { listAll } from '../../domain/store/page.ts';
import { sees } from '../../identity/tenant.ts';
import { refused } from '../../network-service/network-error.ts';
import { changedSubnet, newSubnet } from '../../network-service/subnet-rules.ts';
import { seesNetwork } from '../../network-service/visibility.ts';
import { nullable, object } from '../kit/readers.ts';
import { type Attributes, address, always, choice, flag, listOf, text, uuid } from './attributes.ts';
import type { Collection } from './collection.ts';
import { timestamps } from './timestamps.ts';

const NOT_HERE = 'it is not offered on bare metal';
const both = { post: 'optional', put: true } as const;
const making = { post: 'optional' } as const;
/** Neutron's limits. */
const MAX_DNS_SERVERS = 5;
const MAX_HOST_ROUTES = 20;
const MAX_POOLS = 100;

const pool = object({ start: address, end: address });
const route = object({ destination: text, nexthop: address });

const ATTRIBUTES: Attributes = {
  network_id: { field: 'networkUuid', value: uuid, post: 'required' },
  cidr: { field: 'cidr', value: text, post: 'required' },
  ip_version: { field: 'ipVersion', value: choice(4, 6), ...making },
  name: { field: 'name', value: text, ...both },
  description: { field: 'description', value: text, ...both },
  gateway_ip: { field: 'gatewayIp', value: nullable(address), ...both },
  enable_dhcp: { field: 'isDhcpEnabled', value: flag, ...both },
  allocation_pools: { field: 'allocationPools', value: listOf(pool, MAX_POOLS), ...both },
  dns_nameservers: { field: 'dnsNameservers', value: listOf(address, MAX_DNS_SERVERS), ...both },
  host_routes: { field: 'hostRoutes', value: listOf(route, MAX_HOST_ROUTES), ...both },
  project_id: { field: 'projectId', value: text, ...making },
  tenant_id: { field: 'projectId', value: text, ...making },
  subnetpool_id: { field: 'subnetPool', value: always(null, NOT_HERE), ...making },
  use_default_subnetpool: { field: 'defaultPool', value: always(false, NOT_HERE), ...making },
  ipv6_ra_mode: { field: 'raMode', value: always(null, NOT_HERE), ...making },
  ipv6_address_mode: { field: 'addressMode', value: always(null, NOT_HERE), ...making },
  service_types: { field: 'serviceTypes', value: always([], NOT_HERE), ...both },
  segment_id: { field: 'segment', value: always(null, NOT_HERE), ...both },
};

const SHOWN = [
  ...[
    'id',
    'name',
    'description',
    'network_id',
    'tenant_id',
    'project_id',
    'ip_version',
    'cidr',
    'gateway_ip',
  ],
  ...['enable_dhcp', 'allocation_pools', 'dns_nameservers', 'host_routes', 'subnetpool_id', 'ipv6_ra_mode'],
  ...['ipv6_address_mode', 'service_types', 'segment_id', 'tags', 'created_at', 'updated_at'],
];

const viewOf = (subnet: Subnet): JsonObject => ({
  id: subnet.uuid,
  name: subnet.name,
  description: subnet.description,
  network_id: subnet.networkUuid,
  tenant_id: subnet.projectId,
  project_id: subnet.projectId,
  ip_version: subnet.ipVersion,
  cidr: subnet.cidr,
  gateway_ip: subnet.gatewayIp,
  enable_dhcp: subnet.isDhcpEnabled,
  allocation_pools: subnet.allocationPools.map(({ start, end }) => ({ start, end })),
  dns_nameservers: subnet.dnsNameservers,
  host_routes: subnet.hostRoutes.map(({ destination, nexthop }) => ({ destination, nexthop })),
  subnetpool_id: null,
  ipv6_ra_mode: null,
  ipv6_address_mode: null,
  service_types: [],
  segment_id: null,
  tags: subnet.tags,
  ...timestamps(subnet),
});

export function subnetCollection(now: () => Date): Collection<Subnet> {
  return {
    singular: 'subnet',
    plural: 'subnets',
    attributes: ATTRIBUTES,
    writes: 'admin',
    notFound: refused.subnetNotFound,
    records: ({ compute }) => compute.subnets,
    load: ({ compute }) => listAll(compute.subnets, {}),
    /** Visible to callers who see the network. */
    async isVisible({ compute }, tenant) {
      const networks = (await listAll(compute.networks, {})).filter((one) => seesNetwork(tenant, one));
      const seen = new Set(networks.map((network) => network.uuid));
      return ({ projectId, networkUuid }) => sees(tenant, projectId) || seen.has(networkUuid);
    },
    views: async () => viewOf,
    shown: () => SHOWN,

    async create(tx, values, tenant) {
      const network = await tx.compute.networks.find(String(values['networkUuid']));
      if (network === undefined || !seesNetwork(tenant, network))
        throw refused.networkNotFound(String(values['networkUuid']));
      const others = await listAll(tx.compute.subnets, { networkUuid: network.uuid });
      return tx.compute.subnets.create(newSubnet(values, network, others), now());
    },

    async update(tx, subnet, values) {
      const patch = changedSubnet(subnet, values);
      const router = patch.gatewayIp;
      if (typeof router === 'string' && router !== subnet.gatewayIp) {
        const taken = { subnetUuid: subnet.uuid, address: router };
        if ((await listAll(tx.compute.ipAllocations, taken)).length > 0)
          throw refused.addressInUse(subnet.networkUuid, router);
      }
      return tx.compute.subnets.update(subnet.uuid, patch, now());
    },

    async remove(tx, subnet) {
      const taken = await listAll(tx.compute.ipAllocations, { subnetUuid: subnet.uuid });
      if (taken.length > 0) {
        const ports = [...new Set(taken.map(({ networkPortUuid }) => networkPortUuid))];
        throw refused.subnetInUse(subnet.uuid, ports.slice(0, 5).join(', '));
      }
      await tx.compute.subnets.delete(subnet.uuid);
    },
  };
}
