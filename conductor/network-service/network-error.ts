/**
 * Errors of the network service, with Neutron's exception names and texts: its clients tell them apart by `type`.
 */
import { type ErrorCode, IngotError } from '../domain/errors.ts';

export class NetworkError extends IngotError {
  /** The name of Neutron's exception. */
  readonly type: string;

  constructor(code: ErrorCode, type: string, message: string) {
    super(code, message);
    this.name = 'NetworkError';
    this.type = type;
  }
}

type Refusal = (...about: string[]) => NetworkError;

const refusal =
  (code: ErrorCode, type: string, text: (...about: string[]) => string): Refusal =>
  (...about) =>
    new NetworkError(code, type, text(...about));

const missing = (what: string): Refusal =>
  refusal('notFound', `${what}NotFound`, (id) => `${what} ${id} could not be found.`);
const onNetwork = (network: string | undefined): string =>
  `Unable to complete operation for network ${network}.`;

export const refused = {
  badRequest: refusal('invalidParameter', 'HTTPBadRequest', (why) => `${why}`),
  invalidInput: refusal('invalidParameter', 'InvalidInput', (why) => `Invalid input for operation: ${why}.`),
  forbidden: refusal('forbidden', 'PolicyNotAuthorized', (why) => `${why}`),
  unsupported: refusal('invalidParameter', 'BadRequest', (why) => `${why}`),
  networkNotFound: missing('Network'),
  subnetNotFound: missing('Subnet'),
  portNotFound: missing('Port'),
  networkInUse: refusal(
    'conflict',
    'NetworkInUse',
    (network, ports) =>
      `Unable to complete operation on network ${network}. There are one or more ports still in use on the network: ${ports}.`,
  ),
  subnetInUse: refusal(
    'conflict',
    'SubnetInUse',
    (subnet, ports) =>
      `Unable to complete operation on subnet ${subnet}: One or more ports have an IP allocation from this subnet: ${ports}.`,
  ),
  servicePortInUse: refusal(
    'conflict',
    'ServicePortInUse',
    (port, why) => `Port ${port} cannot be deleted directly via the port API: ${why}.`,
  ),
  portInUse: refusal(
    'conflict',
    'PortInUse',
    (port, network, device) =>
      `Unable to complete operation on port ${port} for network ${network}. Port already has an attached device ${device}.`,
  ),
  portBound: refusal(
    'conflict',
    'PortBound',
    (port, oldMac, newMac) =>
      `Unable to complete operation on port ${port}, port is already bound, port type: other, old_mac ${oldMac}, new_mac ${newMac}.`,
  ),
  macInUse: refusal(
    'conflict',
    'MacAddressInUse',
    (network, mac) => `${onNetwork(network)} The mac address ${mac} is in use.`,
  ),
  addressInUse: refusal(
    'conflict',
    'IpAddressInUse',
    (network, address) => `${onNetwork(network)} The IP address ${address} is in use.`,
  ),
  addressNotOnNetwork: refusal(
    'invalidParameter',
    'InvalidIpForNetwork',
    (address) => `IP address ${address} is not a valid IP for any of the subnets on the specified network.`,
  ),
  addressNotOnSubnet: refusal(
    'invalidParameter',
    'InvalidIpForSubnet',
    (address) => `IP address ${address} is not a valid IP for the specified subnet.`,
  ),
  noAddressLeft: refusal(
    'conflict',
    'IpAddressGenerationFailure',
    (network) => `No more IP addresses available on network ${network}.`,
  ),
  invalidPool: refusal(
    'invalidParameter',
    'InvalidAllocationPool',
    (pool) => `The allocation pool ${pool} is not valid.`,
  ),
  poolOutOfBounds: refusal(
    'invalidParameter',
    'OutOfBoundsAllocationPool',
    (pool, cidr) => `The allocation pool ${pool} spans beyond the subnet cidr ${cidr}.`,
  ),
  poolsOverlap: refusal(
    'conflict',
    'OverlappingAllocationPools',
    (one, other, cidr) => `Found overlapping allocation pools: ${one} ${other} for subnet ${cidr}.`,
  ),
  gatewayInPool: refusal(
    'conflict',
    'GatewayConflictWithAllocationPools',
    (gateway, pool) => `Gateway ip ${gateway} conflicts with allocation pool ${pool}.`,
  ),
  flatNetworkInUse: refusal(
    'conflict',
    'FlatNetworkInUse',
    (wire) => `Unable to create the flat network. Physical network ${wire} is in use.`,
  ),
  vlanInUse: refusal(
    'conflict',
    'VlanIdInUse',
    (vlan, wire) => `Unable to create the network. The VLAN ${vlan} on physical network ${wire} is in use.`,
  ),
  stillShared: refusal(
    'conflict',
    'InvalidSharedSetting',
    (network) =>
      `Unable to reconfigure sharing settings for network ${network}. Multiple tenants are using it.`,
  ),
  foreignDevice: refusal(
    'conflict',
    'DeviceIDNotOwnedByTenant',
    (device) =>
      `The following device_id ${device} is a server: use the compute API to attach and detach its ports.`,
  ),
  extensionNotFound: refusal(
    'notFound',
    'HTTPNotFound',
    (alias) => `Extension with alias ${alias} does not exist.`,
  ),
  tagNotFound: refusal(
    'notFound',
    'TagNotFound',
    (tag, resource) => `Tag ${tag} could not be found on ${resource}.`,
  ),
  overQuota: refusal('conflict', 'OverQuota', (resource) => `Quota exceeded for resources: ['${resource}'].`),
} as const;
