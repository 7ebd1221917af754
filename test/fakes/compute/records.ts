/** Records of the façade with everything set that a test does not care about. */
import { randomUUID } from 'node:crypto';
import type { Network, NetworkPort, Server, Subnet } from '@ingot/conductor/domain/compute.ts';

const AT = new Date(Date.UTC(2026, 0, 1));
let rows = 0;
const recorded = () => ({ id: ++rows, uuid: randomUUID(), createdAt: AT, updatedAt: null });

export const serverOf = (fields: Partial<Server> = {}): Server => ({
  ...recorded(),
  projectId: 'default',
  userId: 'admin',
  name: 'web-1',
  hostname: 'web-1',
  description: null,
  vmState: 'building',
  taskState: 'networking',
  powerState: 0,
  host: null,
  nodeUuid: null,
  flavor: {
    ...{ uuid: 'bm', name: 'bm', vcpus: 4, ramMb: 8192, rootGb: 40, ephemeralGb: 0, swapMb: 0 },
    extraSpecs: {},
  },
  imageUuid: randomUUID(),
  keyName: null,
  publicKey: null,
  availabilityZone: null,
  serverGroupUuid: null,
  schedulerHints: {},
  requestedNetworks: 'auto',
  metadata: {},
  tags: [],
  hasConfigDrive: true,
  userData: null,
  personality: [],
  adminPass: null,
  isLocked: false,
  lockedReason: null,
  fault: null,
  tried: [],
  alternates: [],
  reservationId: 'r-12345678',
  launchIndex: 0,
  launchedAt: null,
  terminatedAt: null,
  ...fields,
});

export const networkOf = (fields: Partial<Network> = {}): Network => ({
  ...recorded(),
  name: 'rack',
  description: '',
  projectId: 'default',
  isShared: true,
  isExternal: false,
  isAdminUp: true,
  isDefault: false,
  mtu: 1500,
  networkType: 'flat',
  physicalNetwork: 'rack',
  segmentationId: null,
  tags: [],
  ...fields,
});

export const subnetOf = (fields: Partial<Subnet> = {}): Subnet => ({
  ...recorded(),
  networkUuid: randomUUID(),
  name: '',
  description: '',
  projectId: 'default',
  ipVersion: 4,
  cidr: '10.9.0.0/24',
  gatewayIp: '10.9.0.1',
  isDhcpEnabled: true,
  allocationPools: [{ start: '10.9.0.2', end: '10.9.0.254' }],
  dnsNameservers: ['10.9.0.53'],
  hostRoutes: [],
  tags: [],
  ...fields,
});

export const networkPortOf = (fields: Partial<NetworkPort> = {}): NetworkPort => ({
  ...recorded(),
  networkUuid: randomUUID(),
  name: '',
  description: '',
  projectId: 'default',
  isAdminUp: true,
  status: 'DOWN',
  macAddress: 'fa:16:3e:00:00:01',
  fixedIps: [],
  deviceId: '',
  deviceOwner: '',
  dnsName: '',
  bindingHost: '',
  bindingProfile: {},
  vnicType: 'baremetal',
  nodePortUuid: null,
  isOwnedByServer: false,
  tags: [],
  ...fields,
});
