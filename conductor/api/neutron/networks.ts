/**
 * Networks: `/v2.0/networks`. Each is a physical network, or a VLAN that the operator has configured on the switch
 * ports of the machines, so only administrators create and change them. Members see those of their project and shared
 * ones.
 */
import { randomUUID } from 'node:crypto';
import type { Network, Subnet } from '../../domain/compute.ts';
import type { JsonObject } from '../../domain/json.ts';
import type { NewRecord, RecordPatch } from '../../domain/resources.ts';
import { listAll } from '../../domain/store/page.ts';
import type { Store } from '../../domain/store/store.ts';
import type { Tenant } from '../../identity/tenant.ts';
import { refused } from '../../network-service/network-error.ts';
import { seesNetwork } from '../../network-service/visibility.ts';
import { nullable, oneOf } from '../kit/readers.ts';
import { type Attributes, always, flag, integer, text } from './attributes.ts';
import type { Collection } from './collection.ts';
import { timestamps } from './timestamps.ts';

const NOT_HERE = 'it is not offered on bare metal';
const both = { post: 'optional', put: true } as const;
const making = { post: 'optional' } as const;

const ATTRIBUTES: Attributes = {
  name: { field: 'name', value: text, ...both },
  description: { field: 'description', value: text, ...both },
  admin_state_up: { field: 'isAdminUp', value: flag, ...both },
  shared: { field: 'isShared', value: flag, ...both },
  'router:external': { field: 'isExternal', value: flag, ...both },
  is_default: { field: 'isDefault', value: flag, ...both },
  mtu: { field: 'mtu', value: integer(68, 65_535), ...both },
  'provider:network_type': { field: 'networkType', value: oneOf(['flat', 'vlan']), ...making },
  'provider:physical_network': { field: 'physicalNetwork', value: nullable(text), ...both },
  'provider:segmentation_id': { field: 'segmentationId', value: nullable(integer(1, 4094)), ...both },
  project_id: { field: 'projectId', value: text, ...making },
  tenant_id: { field: 'projectId', value: text, ...making },
  port_security_enabled: {
    field: 'portSecurity',
    value: always(false, `ports of machines are not filtered, ${NOT_HERE}`),
    ...both,
  },
  availability_zone_hints: { field: 'zones', value: always([], NOT_HERE), ...making },
  qos_policy_id: { field: 'qos', value: always(null, NOT_HERE), ...both },
  dns_domain: { field: 'dnsDomain', value: always('', NOT_HERE), ...both },
  vlan_transparent: { field: 'transparent', value: always(false, NOT_HERE), ...making },
};

const SHOWN = [
  ...['id', 'name', 'description', 'project_id', 'tenant_id', 'admin_state_up', 'status', 'mtu', 'shared'],
  ...['router:external', 'is_default', 'subnets', 'tags', 'port_security_enabled', 'availability_zones'],
  ...['availability_zone_hints', 'ipv4_address_scope', 'ipv6_address_scope', 'created_at', 'updated_at'],
];
const SHOWN_TO_ADMIN = ['provider:network_type', 'provider:physical_network', 'provider:segmentation_id'];

function viewOf(network: Network, subnets: readonly Subnet[], { isAdmin }: Tenant): JsonObject {
  const { uuid, projectId } = network;
  return {
    id: uuid,
    name: network.name,
    description: network.description,
    tenant_id: projectId,
    project_id: projectId,
    admin_state_up: network.isAdminUp,
    status: network.isAdminUp ? 'ACTIVE' : 'DOWN',
    mtu: network.mtu,
    shared: network.isShared,
    'router:external': network.isExternal,
    is_default: network.isDefault,
    subnets: subnets.map((subnet) => subnet.uuid),
    tags: network.tags,
    port_security_enabled: false,
    availability_zones: [],
    availability_zone_hints: [],
    ipv4_address_scope: null,
    ipv6_address_scope: null,
    ...timestamps(network),
    ...(isAdmin && {
      'provider:network_type': network.networkType,
      'provider:physical_network': network.physicalNetwork,
      'provider:segmentation_id': network.segmentationId,
    }),
  };
}

export function networkCollection(now: () => Date): Collection<Network> {
  return {
    singular: 'network',
    plural: 'networks',
    attributes: ATTRIBUTES,
    writes: 'admin',
    notFound: refused.networkNotFound,
    records: ({ compute }) => compute.networks,
    load: ({ compute }) => listAll(compute.networks, {}),
    isVisible: async (_, tenant) => (network) => seesNetwork(tenant, network),
    async views({ compute }, tenant) {
      const subnets = Map.groupBy(await listAll(compute.subnets, {}), ({ networkUuid }) => networkUuid);
      return (network) => viewOf(network, subnets.get(network.uuid) ?? [], tenant);
    },
    shown: ({ isAdmin }) => (isAdmin ? [...SHOWN, ...SHOWN_TO_ADMIN] : SHOWN),

    async create(tx, values, tenant) {
      const network = {
        ...{
          name: '',
          description: '',
          isAdminUp: true,
          isShared: false,
          isExternal: false,
          isDefault: false,
        },
        ...{ mtu: 1500, networkType: 'flat', physicalNetwork: null, segmentationId: null, tags: [] },
        projectId: tenant.projectId,
        ...values,
        uuid: randomUUID(),
      } as NewRecord<Network> & Pick<Network, 'networkType' | 'physicalNetwork' | 'segmentationId'>;
      await checkWire(tx, network);
      return tx.compute.networks.create(network, now());
    },

    async update(tx, network, values) {
      const patch = values as RecordPatch<Network>;
      if (patch.isShared === false && network.isShared) await checkNotShared(tx, network);
      await checkWire(tx, { ...network, ...patch });
      return tx.compute.networks.update(network.uuid, patch, now());
    },

    async remove(tx, network) {
      const ports = await listAll(tx.compute.networkPorts, { networkUuid: network.uuid });
      if (ports.length > 0)
        throw refused.networkInUse(
          network.uuid,
          ports
            .slice(0, 5)
            .map(({ uuid }) => uuid)
            .join(', '),
        );
      for (const subnet of await listAll(tx.compute.subnets, { networkUuid: network.uuid }))
        await tx.compute.subnets.delete(subnet.uuid);
      await tx.compute.networks.delete(network.uuid);
    },
  };
}

type Wire = Pick<Network, 'uuid' | 'networkType' | 'physicalNetwork' | 'segmentationId'>;

/** A physical network carries one flat network, and one for each VLAN. */
async function checkWire(
  tx: Store,
  { uuid, networkType, physicalNetwork, segmentationId }: Wire,
): Promise<void> {
  if (networkType === 'flat' && segmentationId !== null)
    throw refused.invalidInput('segmentation_id specified for flat network');
  if (networkType === 'vlan' && (segmentationId === null || physicalNetwork === null))
    throw refused.invalidInput(
      'a VLAN network needs provider:physical_network and provider:segmentation_id: the VLAN is set up on the switches by their operator',
    );
  if (physicalNetwork === '') throw refused.invalidInput('provider:physical_network is empty');
  if (physicalNetwork === null) return;
  const others = (await listAll(tx.compute.networks, { physicalNetwork })).filter((one) => one.uuid !== uuid);
  const same = others.find((one) => one.networkType === networkType && one.segmentationId === segmentationId);
  if (same === undefined) return;
  throw networkType === 'flat'
    ? refused.flatNetworkInUse(physicalNetwork)
    : refused.vlanInUse(String(segmentationId), physicalNetwork);
}

async function checkNotShared(tx: Store, { uuid, projectId }: Network): Promise<void> {
  const ports = await listAll(tx.compute.networkPorts, { networkUuid: uuid });
  if (ports.some((port) => port.projectId !== projectId)) throw refused.stillShared(uuid);
}
