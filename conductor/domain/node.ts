/**
 * Nodes and their ports as the conductor stores them. driver_info, instance_info, properties and extra contain their
 * secrets in clear. Wire names and masking belong to the API.
 */
import type { NodeRow } from '@ingot/shared/ironic/node-fields.ts';
import type { KeptFields } from '@ingot/shared/ironic/wire-field.ts';
import type { KernelParam, Mac } from './boot.ts';
import { INTERFACE_TYPES, type InterfaceType } from './interface-types.ts';
import type { JsonObject } from './json.ts';
import type { Recorded, RecordPatch } from './resources.ts';
import type { ProvisionState } from './states.ts';
import type { Step } from './steps.ts';

export { INTERFACE_TYPES, type InterfaceType };

export type PowerState = 'power on' | 'power off' | 'error';
export type BootMode = 'bios' | 'uefi';

export const BOOT_DEVICES = [
  'pxe',
  'disk',
  'cdrom',
  'bios',
  'safe',
  'wanboot',
  'floppy',
  'iscsiboot',
] as const;
export type BootDevice = (typeof BOOT_DEVICES)[number];

/** What the node boots when it asks the network; null: the disk of an active node, otherwise nothing. */
export type BootTarget = RamdiskTarget | { readonly kind: 'disk' } | null;

/** One boot of the ramdisk. Each has its own secret, made before the machine is powered on. */
export interface RamdiskTarget {
  readonly kind: 'ramdisk';
  readonly kernelParams: readonly KernelParam[];
  /** 256 bits in base64url, which the agent proves to know; absent if an earlier version prepared the boot. */
  readonly bootSecret?: string;
  /** The address that got the boot script first, if the machine's lease does not say which address it has. */
  readonly bootAddress?: string;
  /** Why this boot can not be trusted. The operation fails with this text. */
  readonly breach?: string;
}

/** The agent that runs on the node now. Removed at each power off or reboot. */
export interface AgentSession {
  /** Base URL of its API; unknown until the first heartbeat. */
  readonly url: string | null;
  /**
   * Sent once, in the answer to the lookup; the agent sends it back in every heartbeat, and the conductor in every
   * command.
   */
  readonly token: string | null;
  readonly version: string | null;
  /** PEM of the agent's certificate, if it listens on TLS. A proven agent's is fixed by its lookup. */
  readonly verifyCa: string | null;
  /** The agent knows the boot secret. Other agents (ironic-python-agent) use the old protocol. */
  readonly proven: boolean;
  readonly lastHeartbeatAt: Date | null;
}

/** The holder of the node's lock; shown as `reservation`. */
export interface Holder {
  /** Conductor host name. */
  readonly owner: string;
  readonly purpose: string;
  readonly since: Date;
  readonly deadline: Date;
}

/** Fields that are stored as their rows in shared/ironic/node-fields.ts say. */
type NodeFields = KeptFields<NodeRow, JsonObject>;

export interface Node extends NodeFields {
  /** Row number: the default sort key, never shown. */
  readonly id: number;
  readonly uuid: string;
  readonly createdAt: Date;
  readonly interfaces: Readonly<Record<InterfaceType, string>>;
  readonly traits: readonly string[];
  readonly bootMode: BootMode | null;

  readonly provisionState: ProvisionState;
  readonly targetProvisionState: ProvisionState | null;
  readonly powerState: PowerState | null;

  readonly bootTarget: BootTarget;
  readonly agent: AgentSession | null;
  readonly holder: Holder | null;
  /** The current step, shown as clean_step, deploy_step or service_step by provision state. */
  readonly currentStep: Step | null;
  /** What drivers store about the node, shown under driver_internal_info. */
  readonly driverInternalInfo: JsonObject;
}

/** Fields that a caller may change; the store sets identity and times. */
export type NodePatch = Partial<Omit<Node, 'id' | 'uuid' | 'createdAt' | 'updatedAt' | 'holder'>>;
export type NewNode = NodePatch & Pick<Node, 'uuid' | 'driver' | 'interfaces' | 'provisionState'>;

export interface Port extends Recorded {
  readonly nodeUuid: string;
  readonly portgroupUuid: string | null;
  readonly address: Mac;
  readonly name: string | null;
  readonly pxeEnabled: boolean;
  readonly localLinkConnection: JsonObject;
  readonly physicalNetwork: string | null;
  readonly isSmartnic: boolean;
  readonly description: string | null;
  readonly vendor: string | null;
  readonly category: string | null;
  readonly availableForDynamicPortgroup: boolean;
  readonly extra: JsonObject;
  readonly internalInfo: JsonObject;
}

export type PortPatch = RecordPatch<Port>;
export type NewPort = PortPatch & Pick<Port, 'uuid' | 'nodeUuid' | 'address'>;
