/**
 * The columns of the compute façade's tables, in the form of schema.ts.
 */
import type {
  Aggregate,
  ComputeService,
  Flavor,
  Image,
  InstanceAction,
  IpAllocation,
  Keypair,
  Network,
  NetworkPort,
  SchedulingReport,
  Server,
  ServerGroup,
  Subnet,
} from '../../domain/compute.ts';
import type { ColumnKind } from './row-codec.ts';
import { RECORD_COLUMNS } from './schema.ts';

export const FLAVOR_COLUMNS = {
  ...RECORD_COLUMNS,
  name: 'text',
  description: 'text',
  vcpus: 'integer',
  ramMb: 'integer',
  rootGb: 'integer',
  ephemeralGb: 'integer',
  swapMb: 'integer',
  rxtxFactor: 'integer',
  isPublic: 'boolean',
  isDisabled: 'boolean',
  projects: 'json',
  extraSpecs: 'json',
} as const satisfies Record<keyof Flavor, ColumnKind>;

export const KEYPAIR_COLUMNS = {
  ...RECORD_COLUMNS,
  userId: 'text',
  name: 'text',
  type: 'text',
  publicKey: 'text',
  fingerprint: 'text',
} as const satisfies Record<keyof Keypair, ColumnKind>;

export const SERVER_GROUP_COLUMNS = {
  ...RECORD_COLUMNS,
  projectId: 'text',
  userId: 'text',
  name: 'text',
  policy: 'text',
  maxServerPerHost: 'integer',
} as const satisfies Record<keyof ServerGroup, ColumnKind>;

export const AGGREGATE_COLUMNS = {
  ...RECORD_COLUMNS,
  name: 'text',
  hosts: 'json',
  metadata: 'json',
} as const satisfies Record<keyof Aggregate, ColumnKind>;

export const COMPUTE_SERVICE_COLUMNS = {
  ...RECORD_COLUMNS,
  binary: 'text',
  host: 'text',
  isDisabled: 'boolean',
  disabledReason: 'text',
  forcedDown: 'boolean',
  reportedAt: 'time',
} as const satisfies Record<keyof ComputeService, ColumnKind>;

export const SERVER_COLUMNS = {
  ...RECORD_COLUMNS,
  projectId: 'text',
  userId: 'text',
  name: 'text',
  hostname: 'text',
  description: 'text',
  vmState: 'text',
  taskState: 'text',
  powerState: 'integer',
  host: 'text',
  nodeUuid: 'text',
  flavor: 'json',
  imageUuid: 'text',
  keyName: 'text',
  publicKey: 'text',
  availabilityZone: 'text',
  accessIpv4: 'text',
  accessIpv6: 'text',
  forcedPlace: 'json',
  serverGroupUuid: 'text',
  schedulerHints: 'guarded',
  requestedNetworks: 'json',
  metadata: 'guarded',
  tags: 'json',
  hasConfigDrive: 'boolean',
  userData: 'private',
  personality: 'privateJson',
  adminPass: 'private',
  isLocked: 'boolean',
  lockedReason: 'text',
  fault: 'json',
  tried: 'json',
  alternates: 'json',
  reservationId: 'text',
  launchIndex: 'integer',
  minCount: 'integer',
  launchedAt: 'time',
  terminatedAt: 'time',
} as const satisfies Record<keyof Server, ColumnKind>;

export const INSTANCE_ACTION_COLUMNS = {
  ...RECORD_COLUMNS,
  serverUuid: 'text',
  action: 'text',
  requestId: 'text',
  projectId: 'text',
  userId: 'text',
  message: 'text',
  finishedAt: 'time',
  events: 'json',
} as const satisfies Record<keyof InstanceAction, ColumnKind>;

export const SCHEDULING_REPORT_COLUMNS = {
  ...RECORD_COLUMNS,
  requestId: 'text',
  projectId: 'text',
  serverUuids: 'json',
  report: 'json',
} as const satisfies Record<keyof SchedulingReport, ColumnKind>;

export const IMAGE_COLUMNS = {
  ...RECORD_COLUMNS,
  name: 'text',
  status: 'text',
  visibility: 'text',
  owner: 'text',
  diskFormat: 'text',
  containerFormat: 'text',
  minDiskGb: 'integer',
  minRamMb: 'integer',
  sizeBytes: 'integer',
  virtualSizeBytes: 'integer',
  checksum: 'text',
  osHashAlgo: 'text',
  osHashValue: 'text',
  isProtected: 'boolean',
  isHidden: 'boolean',
  tags: 'json',
  properties: 'guarded',
  members: 'json',
  importUrl: 'private',
  importError: 'text',
} as const satisfies Record<keyof Image, ColumnKind>;

export const NETWORK_COLUMNS = {
  ...RECORD_COLUMNS,
  name: 'text',
  description: 'text',
  projectId: 'text',
  isShared: 'boolean',
  isExternal: 'boolean',
  isAdminUp: 'boolean',
  isDefault: 'boolean',
  mtu: 'integer',
  networkType: 'text',
  physicalNetwork: 'text',
  segmentationId: 'integer',
  tags: 'json',
} as const satisfies Record<keyof Network, ColumnKind>;

export const SUBNET_COLUMNS = {
  ...RECORD_COLUMNS,
  networkUuid: 'text',
  name: 'text',
  description: 'text',
  projectId: 'text',
  ipVersion: 'integer',
  cidr: 'text',
  gatewayIp: 'text',
  isDhcpEnabled: 'boolean',
  allocationPools: 'json',
  dnsNameservers: 'json',
  hostRoutes: 'json',
  tags: 'json',
} as const satisfies Record<keyof Subnet, ColumnKind>;

export const NETWORK_PORT_COLUMNS = {
  ...RECORD_COLUMNS,
  networkUuid: 'text',
  name: 'text',
  description: 'text',
  projectId: 'text',
  isAdminUp: 'boolean',
  status: 'text',
  macAddress: 'text',
  fixedIps: 'json',
  deviceId: 'text',
  deviceOwner: 'text',
  dnsName: 'text',
  bindingHost: 'text',
  bindingProfile: 'guarded',
  vnicType: 'text',
  nodePortUuid: 'text',
  isOwnedByServer: 'boolean',
  tags: 'json',
} as const satisfies Record<keyof NetworkPort, ColumnKind>;

export const IP_ALLOCATION_COLUMNS = {
  ...RECORD_COLUMNS,
  subnetUuid: 'text',
  address: 'text',
  networkPortUuid: 'text',
} as const satisfies Record<keyof IpAllocation, ColumnKind>;
