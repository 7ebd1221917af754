/**
 * Ports: `/v2.0/ports`. Members create them for their servers, on networks of their project and on shared ones.
 */
import type { Network, NetworkPort } from '../../domain/compute.ts';
import { parseAddress } from '../../domain/ip-address.ts';
import type { JsonObject } from '../../domain/json.ts';
import type { RecordPatch } from '../../domain/resources.ts';
import { listAll } from '../../domain/store/page.ts';
import type { Store } from '../../domain/store/store.ts';
import { sees, type Tenant } from '../../identity/tenant.ts';
import type { Allocating, DhcpRange, WantedAddress } from '../../network-service/addresses.ts';
import { refused } from '../../network-service/network-error.ts';
import {
  changeAddresses,
  createNetworkPort,
  deleteNetworkPort,
  type NewNetworkPort,
  withMac,
} from '../../network-service/network-ports.ts';
import { hasPortsLeft } from '../../network-service/port-quota.ts';
import { mayPlugInto, seesNetwork } from '../../network-service/visibility.ts';
import { valuesOf } from '../kit/query-values.ts';
import { mapped, object, optional } from '../kit/readers.ts';
import {
  type Attributes,
  address,
  always,
  choice,
  dictionary,
  flag,
  listOf,
  mac,
  tags,
  text,
  uuid,
} from './attributes.ts';
import type { Collection } from './collection.ts';
import type { Values } from './request-body.ts';
import { timestamps } from './timestamps.ts';

const NOT_HERE = 'it is not offered on bare metal';
const both = { post: 'optional', put: true } as const;
const making = { post: 'optional' } as const;
const UNFILTERED = `ports of machines are not filtered, ${NOT_HERE}`;
const fixedIp = mapped(
  object({ subnet_id: optional(uuid), ip_address: optional(address) }),
  ({ subnet_id: subnetId, ip_address: ipAddress }): WantedAddress => ({
    ...(subnetId === undefined ? {} : { subnetId }),
    ...(ipAddress === undefined ? {} : { ipAddress }),
  }),
);
const VNIC_TYPES = ['baremetal', 'normal', 'direct', 'direct-physical', 'macvtap', 'smart-nic'] as const;
/** Far more than a port may have; below it, the error text names the limit for ports. */
const MAX_LIST = 100;

const ATTRIBUTES: Attributes = {
  network_id: { field: 'networkUuid', value: uuid, post: 'required' },
  name: { field: 'name', value: text, ...both },
  description: { field: 'description', value: text, ...both },
  admin_state_up: { field: 'isAdminUp', value: flag, ...both },
  fixed_ips: { field: 'wanted', value: listOf(fixedIp, MAX_LIST), ...both },
  // A member could disturb another machine by using its MAC address.
  mac_address: { field: 'macAddress', value: mac, admin: true, ...both },
  device_id: { field: 'deviceId', value: text, ...both },
  device_owner: { field: 'deviceOwner', value: text, ...both },
  dns_name: { field: 'dnsName', value: text, ...both },
  'binding:vnic_type': { field: 'vnicType', value: choice(...VNIC_TYPES), ...both },
  'binding:host_id': { field: 'bindingHost', value: text, admin: true, ...both },
  'binding:profile': { field: 'bindingProfile', value: dictionary, admin: true, ...both },
  tags: { field: 'tags', value: tags, ...making },
  project_id: { field: 'projectId', value: text, ...making },
  tenant_id: { field: 'projectId', value: text, ...making },
  port_security_enabled: { field: 'portSecurity', value: always(false, UNFILTERED), ...both },
  security_groups: { field: 'securityGroups', value: always([], UNFILTERED), ...both },
  allowed_address_pairs: { field: 'pairs', value: always([], UNFILTERED), ...both },
  extra_dhcp_opts: { field: 'dhcpOptions', value: always([], NOT_HERE), ...both },
  qos_policy_id: { field: 'qos', value: always(null, NOT_HERE), ...both },
};

const SHOWN = [
  ...['id', 'name', 'description', 'network_id', 'tenant_id', 'project_id', 'admin_state_up', 'status'],
  ...['mac_address', 'fixed_ips', 'device_id', 'device_owner', 'dns_name', 'binding:vnic_type', 'tags'],
  ...['port_security_enabled', 'security_groups', 'allowed_address_pairs', 'extra_dhcp_opts'],
  ...['created_at', 'updated_at'],
];
const SHOWN_TO_ADMIN = ['binding:host_id', 'binding:profile', 'binding:vif_type', 'binding:vif_details'];

const viewOf = (port: NetworkPort, { isAdmin }: Tenant): JsonObject => ({
  id: port.uuid,
  name: port.name,
  description: port.description,
  network_id: port.networkUuid,
  tenant_id: port.projectId,
  project_id: port.projectId,
  admin_state_up: port.isAdminUp,
  status: port.status,
  mac_address: port.macAddress,
  fixed_ips: port.fixedIps.map(({ subnetId, ipAddress }) => ({ subnet_id: subnetId, ip_address: ipAddress })),
  device_id: port.deviceId,
  device_owner: port.deviceOwner,
  dns_name: port.dnsName,
  'binding:vnic_type': port.vnicType,
  tags: port.tags,
  port_security_enabled: false,
  security_groups: [],
  allowed_address_pairs: [],
  extra_dhcp_opts: [],
  ...timestamps(port),
  ...(isAdmin && {
    'binding:host_id': port.bindingHost,
    'binding:profile': port.bindingProfile,
    'binding:vif_type': port.bindingHost === '' ? 'unbound' : 'other',
    'binding:vif_details': {},
  }),
});

/** Filters for which the store has an index. */
const FOUND_BY = {
  network_id: 'networkUuid',
  device_id: 'deviceId',
  mac_address: 'macAddress',
} as const satisfies Record<string, keyof NetworkPort>;

export function portCollection(dhcp: DhcpRange | null, now: () => Date): Collection<NetworkPort> {
  const allocating = (): Allocating => ({ dhcp, now: now() });

  return {
    singular: 'port',
    plural: 'ports',
    attributes: ATTRIBUTES,
    writes: 'member',
    notFound: refused.portNotFound,
    records: ({ compute }) => compute.networkPorts,
    load({ compute }, query) {
      const single = Object.entries(FOUND_BY).flatMap(([name, field]) => {
        const values = valuesOf(query, name);
        return values.length === 1 ? [[field, values[0]]] : [];
      });
      return listAll(compute.networkPorts, Object.fromEntries(single) as Partial<NetworkPort>);
    },
    isVisible:
      async (_, tenant) =>
      ({ projectId }) =>
        sees(tenant, projectId),
    views: async (_, tenant) => (port) => viewOf(port, tenant),
    shown: ({ isAdmin }) => (isAdmin ? [...SHOWN, ...SHOWN_TO_ADMIN] : SHOWN),

    async create(tx, values, tenant) {
      const networkUuid = String(values['networkUuid']);
      const network = await tx.compute.networks.find(networkUuid);
      if (network === undefined || !seesNetwork(tenant, network)) throw refused.networkNotFound(networkUuid);
      if (!mayPlugInto(tenant, network))
        throw refused.forbidden(`Network ${network.uuid} is not for ports of projects.`);
      if (!(await hasPortsLeft(tx, tenant, 1))) throw refused.overQuota('port');
      await checkDevice(tx, values, tenant);
      await checkChoice(tx, values, network, tenant);
      const port = { projectId: tenant.projectId, ...values } as NewNetworkPort;
      return createNetworkPort(tx, network, port, allocating());
    },

    async update(tx, port, values, tenant) {
      const { wanted, macAddress, ...fields } = values as RecordPatch<NetworkPort> & {
        readonly wanted?: readonly WantedAddress[];
      };
      if (values['deviceId'] !== undefined && values['deviceId'] !== port.deviceId) {
        if (await isServer(tx, port.deviceId))
          throw refused.portInUse(port.uuid, port.networkUuid, port.deviceId);
        await checkDevice(tx, values, tenant);
      }
      checkBinding(port, values);
      const network = (await tx.compute.networks.find(port.networkUuid))!;
      if (wanted !== undefined) await checkChoice(tx, values, network, tenant);
      const fixedIps = wanted && (await changeAddresses(tx, port, network, wanted, allocating()));
      const patch = { ...fields, ...(fixedIps && { fixedIps }) };
      return withMac(port.networkUuid, macAddress ?? port.macAddress, (address) =>
        tx.compute.networkPorts.update(port.uuid, { ...patch, macAddress: address }, now()),
      );
    },

    async remove(tx, port) {
      if (await isServer(tx, port.deviceId)) {
        throw refused.servicePortInUse(
          port.uuid,
          `it is a port of server ${port.deviceId}, which goes on using its address; detach it from the server first`,
        );
      }
      await deleteNetworkPort(tx, port);
    },
  };
}

const isServer = async (tx: Store, deviceId: string): Promise<boolean> =>
  deviceId !== '' && (await tx.compute.servers.find(deviceId)) !== undefined;

/** Only the compute API may set a server's id: such a port counts as the server's. */
async function checkDevice(tx: Store, { deviceId, deviceOwner }: Values, tenant: Tenant): Promise<void> {
  if (await isServer(tx, String(deviceId ?? ''))) throw refused.foreignDevice(String(deviceId));
  if (!tenant.isAdmin && String(deviceOwner ?? '').startsWith('network:'))
    throw refused.forbidden(
      "Policy doesn't allow ports of the network service itself: it needs the role admin.",
    );
}

/** A bound port has the MAC address and host of its node, which can not be changed. */
function checkBinding(port: NetworkPort, values: Values): void {
  if (port.nodePortUuid === null) return;
  const { macAddress, bindingHost, bindingProfile } = values;
  const changes =
    (macAddress !== undefined && macAddress !== port.macAddress) ||
    (bindingHost !== undefined && bindingHost !== port.bindingHost) ||
    bindingProfile !== undefined;
  if (changes) throw refused.portBound(port.uuid, port.macAddress, String(macAddress ?? port.macAddress));
}

/** On shared networks, a project may choose only addresses from the pools. */
async function checkChoice(tx: Store, { wanted }: Values, network: Network, tenant: Tenant): Promise<void> {
  if (tenant.isAdmin || network.projectId === tenant.projectId) return;
  const chosen = ((wanted ?? []) as readonly WantedAddress[]).flatMap(({ ipAddress }) => ipAddress ?? []);
  if (chosen.length === 0) return;
  const subnets = await listAll(tx.compute.subnets, { networkUuid: network.uuid });
  const pools = subnets.flatMap(({ allocationPools }) => allocationPools);
  const isInPool = (text: string): boolean => {
    const one = parseAddress(text);
    return pools.some(({ start, end }) => {
      const [from, to] = [parseAddress(start), parseAddress(end)];
      return one?.version === from?.version && from!.value <= one!.value && one!.value <= to!.value;
    });
  };
  const outside = chosen.find((text) => !isInPool(text));
  if (outside !== undefined) {
    throw refused.forbidden(
      `Policy doesn't allow the address ${outside}: it is in no allocation pool of the shared network.`,
    );
  }
}
