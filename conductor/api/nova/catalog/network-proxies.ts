/**
 * Networks in the form of nova-network, until API 2.35: name and id, for clients that do not use the network service.
 * Nova's /os-networks and /os-tenant-networks.
 */

import type { FastifyRequest } from 'fastify';
import type { Network } from '../../../domain/compute.ts';
import { IngotError } from '../../../domain/errors.ts';
import type { JsonObject } from '../../../domain/json.ts';
import { listAll } from '../../../domain/store/page.ts';
import { isAvailable, seesNetwork } from '../../../network-service/visibility.ts';
import { described } from '../../cloud/cloud-route.ts';
import type { ComputeDeps } from '../../cloud/deps.ts';
import type { App } from '../../kit/app.ts';

/** The last microversion with views of other services. */
export const LAST_PROXIES = 35;

/** Fields that only nova-network had. */
const UNKNOWN = [
  ...['cidr', 'netmask', 'gateway', 'broadcast', 'dns1', 'dns2', 'cidr_v6', 'gateway_v6', 'netmask_v6'],
];
const UNKNOWN_TO_ADMINS = [
  ...[
    'created_at',
    'updated_at',
    'deleted_at',
    'deleted',
    'injected',
    'bridge',
    'vlan',
    'project_id',
    'host',
  ],
  ...['vpn_public_address', 'vpn_public_port', 'vpn_private_address', 'dhcp_start', 'bridge_interface'],
  ...['multi_host', 'priority', 'rxtx_base', 'mtu', 'dhcp_server', 'enable_dhcp', 'share_address'],
];
const nothing = (names: readonly string[]): JsonObject =>
  Object.fromEntries(names.map((name) => [name, null]));

const networkView = ({ uuid, name }: Network, isAdmin: boolean): JsonObject => ({
  ...nothing(UNKNOWN),
  ...(isAdmin ? nothing(UNKNOWN_TO_ADMINS) : {}),
  id: uuid,
  label: name,
});

/** `None` is the only value in Nova, too. */
const tenantNetworkView = ({ uuid, name }: Network): JsonObject => ({ id: uuid, cidr: 'None', label: name });

interface ById {
  Params: { id: string };
}

export function networkProxyRoutes(app: App, { store }: ComputeDeps): void {
  const { networks } = store.compute;

  async function find({ params: { id }, tenant }: FastifyRequest<ById>): Promise<Network> {
    const network = await networks.find(id);
    if (network !== undefined && seesNetwork(tenant, network)) return network;
    throw new IngotError('notFound', 'Network not found');
  }

  for (const [path, view] of [
    ['/os-networks', networkView],
    ['/os-tenant-networks', tenantNetworkView],
  ] as const) {
    app.get(
      path,
      described('reader', 'List networks (proxy of the network service)', {
        until: LAST_PROXIES,
        list: 'networks',
      }),
      async ({ tenant }) => {
        const seen = (await listAll(networks, {})).filter((one) => isAvailable(tenant, one));
        return { networks: seen.map((one) => view(one, tenant.isAdmin)) };
      },
    );
    app.get<ById>(
      `${path}/:id`,
      described('reader', 'Show a network (proxy of the network service)', {
        until: LAST_PROXIES,
        item: 'network',
      }),
      async (request) => ({
        network: view(await find(request), request.tenant.isAdmin),
      }),
    );
  }
}
