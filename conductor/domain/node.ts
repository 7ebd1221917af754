/**
 * Nodes and their ports as the conductor keeps them. Wire names and masking belong to the API.
 */
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

/** What the node should boot when the network asks; null leaves it alone. */
export type BootTarget =
  | { readonly kind: 'ramdisk'; readonly kernelParams: readonly KernelParam[] }
  | { readonly kind: 'disk' }
  | null;

/** The agent now running on the node. Gone at each power off or reboot. */
export interface AgentSession {
  /** Base URL of its API; unknown until the first heartbeat. */
  readonly url: string | null;
  /** Given once at lookup; sent back in every heartbeat and command. */
  readonly token: string | null;
  readonly version: string | null;
  /** PEM of the agent's certificate, if it listens on TLS. */
  readonly verifyCa: string | null;
  readonly lastHeartbeatAt: Date | null;
}

/** The exclusive holder of a node; shown as `reservation`. */
export interface Holder {
  /** Conductor host name. */
  readonly owner: string;
  readonly purpose: string;
  readonly since: Date;
  readonly deadline: Date;
}

export interface Node {
  /** Row number: the default sort key, never shown. */
  readonly id: number;
  readonly uuid: string;
  readonly name: string | null;
  readonly driver: string;
  /** With its secrets in clear: only the engine and drivers see it so. */
  readonly driverInfo: JsonObject;
  readonly instanceInfo: JsonObject;
  readonly instanceUuid: string | null;
  readonly chassisUuid: string | null;
  readonly allocationUuid: string | null;
  readonly properties: JsonObject;
  readonly extra: JsonObject;
  readonly interfaces: Readonly<Record<InterfaceType, string>>;
  readonly resourceClass: string | null;
  readonly conductorGroup: string;
  readonly owner: string | null;
  readonly lessee: string | null;
  readonly description: string | null;
  readonly shard: string | null;
  /** UUID of the machine this one sits in: a card with a BMC of its own. API 1.83. */
  readonly parentNode: string | null;
  /** Its power is never switched off, only reset. API 1.95. */
  readonly disablePowerOff: boolean;
  /** For people; follows `display_name` of instance_info where it is not set. API 1.104. */
  readonly instanceName: string | null;
  /** `OK`, `WARNING`, `CRITICAL`, as the BMC says; null when it says nothing. API 1.109. */
  readonly health: string | null;
  readonly networkData: JsonObject;
  readonly traits: readonly string[];
  readonly automatedClean: boolean | null;
  readonly protected: boolean;
  readonly protectedReason: string | null;
  readonly retired: boolean;
  readonly retiredReason: string | null;
  readonly consoleEnabled: boolean;
  /** What RAID there is, and what is wanted: `{logical_disks: [...]}`. */
  readonly raidConfig: JsonObject;
  readonly targetRaidConfig: JsonObject;
  readonly bootMode: BootMode | null;
  readonly secureBoot: boolean | null;

  readonly provisionState: ProvisionState;
  readonly targetProvisionState: ProvisionState | null;
  readonly provisionUpdatedAt: Date | null;
  readonly powerState: PowerState | null;
  readonly targetPowerState: string | null;
  readonly lastError: string | null;
  readonly maintenance: boolean;
  readonly maintenanceReason: string | null;
  readonly fault: string | null;
  readonly inspectionStartedAt: Date | null;
  readonly inspectionFinishedAt: Date | null;

  readonly bootTarget: BootTarget;
  readonly agent: AgentSession | null;
  readonly holder: Holder | null;
  /** The step at work, shown as clean_step, deploy_step or service_step by provision state. */
  readonly currentStep: Step | null;
  /** What drivers remember about the node, shown under driver_internal_info. */
  readonly driverInternalInfo: JsonObject;

  readonly createdAt: Date;
  readonly updatedAt: Date | null;
}

/** Fields a caller may change; identity and times are the store's. */
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
