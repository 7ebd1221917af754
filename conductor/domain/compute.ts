/**
 * Records of the compute façade: servers and what they are built from, with the terms of Nova, Glance and Neutron.
 * The APIs in api/{nova,glance,neutron} present them in their own forms.
 */
import type { JsonObject } from './json.ts';
import type { Recorded } from './resources.ts';

/** The size and requirements of servers. `uuid` is the flavor id, which may be any text. Nova API 2.1. */
export interface Flavor extends Recorded {
  readonly name: string;
  readonly description: string | null;
  readonly vcpus: number;
  readonly ramMb: number;
  readonly rootGb: number;
  readonly ephemeralGb: number;
  readonly swapMb: number;
  readonly rxtxFactor: number;
  readonly isPublic: boolean;
  readonly isDisabled: boolean;
  /** Projects that may use a flavor that is not public. */
  readonly projects: readonly string[];
  readonly extraSpecs: Readonly<Record<string, string>>;
}

/** A user's public key, which a server accepts for login. */
export interface Keypair extends Recorded {
  readonly userId: string;
  readonly name: string;
  readonly type: 'ssh' | 'x509';
  readonly publicKey: string;
  readonly fingerprint: string;
}

/** A policy that keeps servers together or apart. Members are the servers whose request names the group. */
export interface ServerGroup extends Recorded {
  readonly projectId: string;
  readonly userId: string;
  readonly name: string;
  readonly policy: 'affinity' | 'anti-affinity' | 'soft-affinity' | 'soft-anti-affinity';
  readonly maxServerPerHost: number;
}

/** A group of machines with metadata that flavors and availability zones refer to. Nova shows its `id`. */
export interface Aggregate extends Recorded {
  readonly name: string;
  /** Compute services, node UUIDs or node names. */
  readonly hosts: readonly string[];
  /** The key `availability_zone` makes the aggregate a zone. */
  readonly metadata: Readonly<Record<string, string>>;
}

export const ZONE_KEY = 'availability_zone';

/** A conductor in the role of a Nova service. Nova shows `id`, from 2.53 `uuid`. */
export interface ComputeService extends Recorded {
  readonly binary: 'nova-compute' | 'nova-scheduler' | 'nova-conductor';
  readonly host: string;
  readonly isDisabled: boolean;
  readonly disabledReason: string | null;
  readonly forcedDown: boolean;
  readonly reportedAt: Date | null;
}

export const VM_STATES = ['building', 'active', 'stopped', 'rescued', 'error', 'deleted'] as const;
export type VmState = (typeof VM_STATES)[number];

/** Nova's task_state: what is being done to a server. Stored before it begins; null when nothing is being done. */
export const TASK_STATES = [
  'scheduling',
  'networking',
  'block_device_mapping',
  'spawning',
  'rebooting',
  'rebooting_hard',
  'powering-off',
  'powering-on',
  'rebuilding',
  'rescuing',
  'unrescuing',
  'deleting',
] as const;
export type TaskState = (typeof TASK_STATES)[number];

/** Nova's numbers for: no state, running, shut down. */
export const POWER_STATES = { none: 0, running: 1, shutdown: 4 } as const;
export type PowerStateNumber = (typeof POWER_STATES)[keyof typeof POWER_STATES];

export interface ServerFault {
  readonly code: number;
  readonly message: string;
  /** Shown only to administrators. */
  readonly details: string | null;
  /** ISO 8601. */
  readonly created: string;
}

/** A machine on which a server was built or may be built. */
export interface BuildPlace {
  readonly host: string;
  readonly nodename: string;
}

/** A requested interface of a server: an existing port, or a new port on a network. */
export type RequestedNetwork =
  | { readonly portUuid: string; readonly tag?: string }
  | { readonly networkUuid: string; readonly fixedIp?: string; readonly tag?: string };

/** `auto`: the only network that the project may use, if there is one. */
export type RequestedNetworks = readonly RequestedNetwork[] | 'auto' | 'none';

/** An instance; "server" in Nova's API. */
export interface Server extends Recorded {
  readonly projectId: string;
  readonly userId: string;
  readonly name: string;
  readonly hostname: string;
  readonly description: string | null;
  readonly vmState: VmState;
  readonly taskState: TaskState | null;
  readonly powerState: PowerStateNumber;
  /**
   * Compute service and node of the server; null until a node is claimed. The instance_uuid of the node is
   * authoritative.
   */
  readonly host: string | null;
  readonly nodeUuid: string | null;
  /** A copy of the flavor: later changes to the flavor do not affect the server. */
  readonly flavor: ServerFlavor;
  /** Null when there is none, as when booting from a volume. */
  readonly imageUuid: string | null;
  readonly keyName: string | null;
  readonly publicKey: string | null;
  /** The requested zone. The actual zone follows from the node. */
  readonly availabilityZone: string | null;
  /** An address that the user sets; stored and shown, but not used. */
  readonly accessIpv4: string | null;
  readonly accessIpv6: string | null;
  /** The place that an administrator requested. */
  readonly forcedPlace: { readonly host: string | null; readonly nodename: string | null } | null;
  readonly serverGroupUuid: string | null;
  readonly schedulerHints: JsonObject;
  readonly requestedNetworks: RequestedNetworks;
  readonly metadata: Readonly<Record<string, string>>;
  readonly tags: readonly string[];
  readonly hasConfigDrive: boolean;
  /** base64. Shown only to administrators. */
  readonly userData: string | null;
  /** `[{path, contents}]`, base64 contents, up to API 2.56. */
  readonly personality: readonly { readonly path: string; readonly contents: string }[];
  /** Kept until the build or rebuild that needs it has ended; never shown. */
  readonly adminPass: string | null;
  readonly isLocked: boolean;
  readonly lockedReason: string | null;
  readonly fault: ServerFault | null;
  /** Places where a build failed, and places that may be tried next. */
  readonly tried: readonly BuildPlace[];
  readonly alternates: readonly BuildPlace[];
  /** The id of the request, and the server's index in it. */
  readonly reservationId: string;
  readonly launchIndex: number;
  /** When fewer servers than this can be built, none of the request is built. */
  readonly minCount: number;
  readonly launchedAt: Date | null;
  readonly terminatedAt: Date | null;
}

export type ServerFlavor = Pick<
  Flavor,
  'uuid' | 'name' | 'vcpus' | 'ramMb' | 'rootGb' | 'ephemeralGb' | 'swapMb' | 'extraSpecs'
>;

export interface InstanceActionEvent {
  /** `compute__do_build_and_run_instance`, ... */
  readonly event: string;
  readonly startTime: string;
  readonly finishTime: string | null;
  readonly result: 'Success' | 'Error' | null;
  /** Shown only to administrators. */
  readonly details: string | null;
}

/** An action that a user requested for a server, and its result. Nova API 2.1, os-instance-actions. */
export interface InstanceAction extends Recorded {
  readonly serverUuid: string;
  readonly action: string;
  readonly requestId: string;
  readonly projectId: string;
  readonly userId: string;
  /** `Error` when it failed. */
  readonly message: string | null;
  readonly finishedAt: Date | null;
  readonly events: readonly InstanceActionEvent[];
}

/**
 * Why the scheduler selected the hosts of a request. `uuid` is the report's own; one report per scheduling of a
 * request.
 */
export interface SchedulingReport extends Recorded {
  readonly requestId: string;
  readonly projectId: string;
  readonly serverUuids: readonly string[];
  readonly report: JsonObject;
}

export const IMAGE_STATUSES = [
  'queued',
  'saving',
  'importing',
  'active',
  'killed',
  'deactivated',
  'deleted',
] as const;

/** A project with which an image is shared. */
export interface ImageMember {
  readonly memberId: string;
  /** Set by the member. Lists show it only accepted images. */
  readonly status: 'pending' | 'accepted' | 'rejected';
  /** ISO 8601. */
  readonly createdAt: string;
  readonly updatedAt: string;
}

/** An image of the image service. Glance API v2. */
export interface Image extends Recorded {
  readonly name: string | null;
  readonly status: (typeof IMAGE_STATUSES)[number];
  readonly visibility: 'public' | 'private' | 'shared' | 'community';
  readonly owner: string | null;
  readonly diskFormat: string | null;
  readonly containerFormat: string | null;
  readonly minDiskGb: number;
  readonly minRamMb: number;
  readonly sizeBytes: number | null;
  readonly virtualSizeBytes: number | null;
  /** MD5, for old clients. */
  readonly checksum: string | null;
  readonly osHashAlgo: string | null;
  readonly osHashValue: string | null;
  readonly isProtected: boolean;
  readonly isHidden: boolean;
  readonly tags: readonly string[];
  /** All other properties: `hw_architecture`, `kernel_id`, `os_distro`, ... */
  readonly properties: Readonly<Record<string, string>>;
  /** Projects that may use the image while its visibility is `shared`. */
  readonly members: readonly ImageMember[];
  /** The URL from which the data is being imported, and why an import failed. */
  readonly importUrl: string | null;
  readonly importError: string | null;
}

/** A broadcast domain of servers. Neutron API v2.0. */
export interface Network extends Recorded {
  readonly name: string;
  readonly description: string;
  readonly projectId: string;
  readonly isShared: boolean;
  readonly isExternal: boolean;
  readonly isAdminUp: boolean;
  readonly isDefault: boolean;
  readonly mtu: number;
  readonly networkType: 'flat' | 'vlan';
  readonly physicalNetwork: string | null;
  readonly segmentationId: number | null;
  readonly tags: readonly string[];
}

export interface Subnet extends Recorded {
  readonly networkUuid: string;
  readonly name: string;
  readonly description: string;
  readonly projectId: string;
  readonly ipVersion: 4 | 6;
  readonly cidr: string;
  readonly gatewayIp: string | null;
  readonly isDhcpEnabled: boolean;
  readonly allocationPools: readonly { readonly start: string; readonly end: string }[];
  readonly dnsNameservers: readonly string[];
  readonly hostRoutes: readonly { readonly destination: string; readonly nexthop: string }[];
  readonly tags: readonly string[];
}

/** A port of the network service. It connects a server to a network and is bound to a port of the server's node. */
export interface NetworkPort extends Recorded {
  readonly networkUuid: string;
  readonly name: string;
  readonly description: string;
  readonly projectId: string;
  readonly isAdminUp: boolean;
  readonly status: 'ACTIVE' | 'DOWN' | 'BUILD' | 'ERROR';
  /** While bound: that of the node's port. Otherwise a generated one. */
  readonly macAddress: string;
  readonly fixedIps: readonly { readonly subnetId: string; readonly ipAddress: string }[];
  /** Server UUID and `compute:<zone>`; empty when no server has the port. */
  readonly deviceId: string;
  readonly deviceOwner: string;
  readonly dnsName: string;
  readonly bindingHost: string;
  readonly bindingProfile: JsonObject;
  readonly vnicType: string;
  /** The port of the node to which it is bound. */
  readonly nodePortUuid: string | null;
  /** Created for a server and deleted with it. */
  readonly isOwnedByServer: boolean;
  readonly tags: readonly string[];
}

/** An allocated address. A subnet has at most one record per address. */
export interface IpAllocation extends Recorded {
  readonly subnetUuid: string;
  readonly address: string;
  readonly networkPortUuid: string;
}
