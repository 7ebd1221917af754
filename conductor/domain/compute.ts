/**
 * What the compute façade keeps: servers and what they are made from, as Nova, Glance and Neutron know it. The
 * APIs in api/{nova,glance,neutron} show these in their own shapes.
 */
import type { JsonObject } from './json.ts';
import type { Recorded } from './resources.ts';

/** Sizes and wishes that servers are made by. Its `uuid` is the flavor id, which may be any text. Nova API 2.1. */
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
  /** Projects that may use it when it is not public. */
  readonly projects: readonly string[];
  readonly extraSpecs: Readonly<Record<string, string>>;
}

/** A public key of a user, for servers to let them in. */
export interface Keypair extends Recorded {
  readonly userId: string;
  readonly name: string;
  readonly type: 'ssh' | 'x509';
  readonly publicKey: string;
  readonly fingerprint: string;
}

/** Servers that are to be near each other or apart. Members are the servers that name it. */
export interface ServerGroup extends Recorded {
  readonly projectId: string;
  readonly userId: string;
  readonly name: string;
  readonly policy: 'affinity' | 'anti-affinity' | 'soft-affinity' | 'soft-anti-affinity';
  readonly maxServerPerHost: number;
}

/** Machines with metadata that flavors and zones speak of. Nova shows its `id`. */
export interface Aggregate extends Recorded {
  readonly name: string;
  /** Compute services, node UUIDs or node names. */
  readonly hosts: readonly string[];
  /** The key `availability_zone` makes it one. */
  readonly metadata: Readonly<Record<string, string>>;
}

/** A conductor in the role of a Nova service. Nova shows its `id`, its `uuid` from 2.53 on. */
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

/** What is being done to a server: stored before it is done, null when nothing is. Nova's task_state. */
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

/** Nova's numbers: no state, running, shut down. */
export const POWER_STATES = { none: 0, running: 1, shutdown: 4 } as const;
export type PowerStateNumber = (typeof POWER_STATES)[keyof typeof POWER_STATES];

export interface ServerFault {
  readonly code: number;
  readonly message: string;
  /** For administrators. */
  readonly details: string | null;
  /** ISO 8601. */
  readonly created: string;
}

/** A machine that a server was or may be built on. */
export interface BuildPlace {
  readonly host: string;
  readonly nodename: string;
}

/** An interface that a server is to have: an existing port, or a new port of a network. */
export type RequestedNetwork =
  | { readonly portUuid: string; readonly tag?: string }
  | { readonly networkUuid: string; readonly fixedIp?: string; readonly tag?: string };

/** `auto`: the only network that the project may use, if there is one. */
export type RequestedNetworks = readonly RequestedNetwork[] | 'auto' | 'none';

/** An instance as its user knows it: "server" in Nova's API. */
export interface Server extends Recorded {
  readonly projectId: string;
  readonly userId: string;
  readonly name: string;
  readonly hostname: string;
  readonly description: string | null;
  readonly vmState: VmState;
  readonly taskState: TaskState | null;
  readonly powerState: PowerStateNumber;
  /** Compute service and node it is on; null until it is claimed. The node's instance_uuid is the truth. */
  readonly host: string | null;
  readonly nodeUuid: string | null;
  /** The flavor as it was: later changes to the flavor do not reach the server. */
  readonly flavor: ServerFlavor;
  /** Null when there is none, as when booting from a volume. */
  readonly imageUuid: string | null;
  readonly keyName: string | null;
  readonly publicKey: string | null;
  /** As asked for; the one it is in follows from its node. */
  readonly availabilityZone: string | null;
  /** Where its user says that it is reached; stored and shown, but not used. */
  readonly accessIpv4: string | null;
  readonly accessIpv6: string | null;
  /** Where an administrator said that it goes. */
  readonly forcedPlace: { readonly host: string | null; readonly nodename: string | null } | null;
  readonly serverGroupUuid: string | null;
  readonly schedulerHints: JsonObject;
  readonly requestedNetworks: RequestedNetworks;
  readonly metadata: Readonly<Record<string, string>>;
  readonly tags: readonly string[];
  readonly hasConfigDrive: boolean;
  /** base64. Not shown to others than administrators. */
  readonly userData: string | null;
  /** `[{path, contents}]`, base64 contents, up to API 2.56. */
  readonly personality: readonly { readonly path: string; readonly contents: string }[];
  /** Kept until the work that needs it is done; never shown. */
  readonly adminPass: string | null;
  readonly isLocked: boolean;
  readonly lockedReason: string | null;
  readonly fault: ServerFault | null;
  /** Where a build has failed, and where it may be tried next. */
  readonly tried: readonly BuildPlace[];
  readonly alternates: readonly BuildPlace[];
  /** One per request, and its place among the servers of the request. */
  readonly reservationId: string;
  readonly launchIndex: number;
  /** With fewer servers than this none of its request is built. */
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
  /** For administrators. */
  readonly details: string | null;
}

/** Something a user asked of a server, and how it went. Nova API 2.1, os-instance-actions. */
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

/** Why a request got the hosts it got. `uuid` is its own; one per scheduling of a request. */
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

/** A project that a shared image is shared with. */
export interface ImageMember {
  readonly memberId: string;
  /** Set by the member: its lists show only accepted images. */
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
  /** MD5, which old clients ask for. */
  readonly checksum: string | null;
  readonly osHashAlgo: string | null;
  readonly osHashValue: string | null;
  readonly isProtected: boolean;
  readonly isHidden: boolean;
  readonly tags: readonly string[];
  /** Everything else that was set: `hw_architecture`, `kernel_id`, `os_distro`, ... */
  readonly properties: Readonly<Record<string, string>>;
  /** Projects that may use it while its visibility is `shared`. */
  readonly members: readonly ImageMember[];
  /** Where its data is being fetched from, and why that failed. */
  readonly importUrl: string | null;
  readonly importError: string | null;
}

/** A broadcast domain that servers are on. Neutron API v2.0. */
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

/** A port of the network service: the place of a server on a network, bound to a port of its node. */
export interface NetworkPort extends Recorded {
  readonly networkUuid: string;
  readonly name: string;
  readonly description: string;
  readonly projectId: string;
  readonly isAdminUp: boolean;
  readonly status: 'ACTIVE' | 'DOWN' | 'BUILD' | 'ERROR';
  /** The bound node port's while bound; else made up, and given back when unbound. */
  readonly macAddress: string;
  readonly fixedIps: readonly { readonly subnetId: string; readonly ipAddress: string }[];
  /** Server UUID and `compute:<zone>`; empty when free. */
  readonly deviceId: string;
  readonly deviceOwner: string;
  readonly dnsName: string;
  readonly bindingHost: string;
  readonly bindingProfile: JsonObject;
  readonly vnicType: string;
  /** The node's port it is bound to. */
  readonly nodePortUuid: string | null;
  /** Made by the façade for a server and deleted with it. */
  readonly isOwnedByServer: boolean;
  readonly tags: readonly string[];
}

/** An address in use: one subnet has each address once. */
export interface IpAllocation extends Recorded {
  readonly subnetUuid: string;
  readonly address: string;
  readonly networkPortUuid: string;
}
