/**
 * Resources besides nodes and ports, as the conductor stores them. The tables in shared/ironic define how the API
 * shows them.
 */
import type { Mac } from './boot.ts';
import type { JsonObject } from './json.ts';

/**
 * Fields of every stored resource. `id` counts up in order of creation; it is the default sort key and never shown.
 */
export interface Recorded {
  readonly id: number;
  readonly uuid: string;
  readonly createdAt: Date;
  readonly updatedAt: Date | null;
}

/** Fields that a caller may change; the store sets identity and times. */
export type RecordPatch<T extends Recorded> = Partial<Omit<T, keyof Recorded>>;
export type NewRecord<T extends Recorded> = RecordPatch<T> & Pick<T, 'uuid'>;

/** A named group of nodes, such as a rack. API 1.1. */
export interface Chassis extends Recorded {
  readonly description: string | null;
  readonly extra: JsonObject;
}

/** Ports of a node that are bonded. API 1.23. */
export interface Portgroup extends Recorded {
  readonly nodeUuid: string;
  readonly name: string | null;
  readonly address: Mac | null;
  /** Bonding mode: `active-backup`, `802.3ad`, ... API 1.26. */
  readonly mode: string;
  readonly properties: JsonObject;
  readonly standalonePortsSupported: boolean;
  readonly physicalNetwork: string | null;
  readonly category: string | null;
  /** Created by a network interface, not by an operator. API 1.111. */
  readonly dynamicPortgroup: boolean;
  readonly extra: JsonObject;
  readonly internalInfo: JsonObject;
}

/** Deploy steps that a node gets when its instance requires the trait with the template's name. API 1.55. */
export interface DeployTemplate extends Recorded {
  /** A trait: `CUSTOM_HYPERTHREADING_ON`. */
  readonly name: string;
  /** `{interface, step, args, priority}` each. */
  readonly steps: readonly JsonObject[];
  readonly extra: JsonObject;
}

/** Steps for manual cleaning or service of nodes that have one of its traits. API 1.92. */
export interface Runbook extends Recorded {
  /** A trait before 1.112: `CUSTOM_FIRMWARE_2026`. */
  readonly name: string;
  readonly description: string | null;
  /** A runbook made by a request older than 1.112 has its name as its only trait. */
  readonly traits: readonly string[];
  /** `{interface, step, args, order}` each. */
  readonly steps: readonly JsonObject[];
  readonly disableRamdisk: boolean;
  /** Without an owner, for every project. */
  readonly public: boolean;
  readonly owner: string | null;
  readonly extra: JsonObject;
}

export const ALLOCATION_STATES = ['allocating', 'active', 'error'] as const;
export type AllocationState = (typeof ALLOCATION_STATES)[number];

/** A request for any node of a resource class, and the allocated node. API 1.52. */
export interface Allocation extends Recorded {
  readonly name: string | null;
  readonly nodeUuid: string | null;
  readonly state: AllocationState;
  readonly lastError: string | null;
  readonly resourceClass: string | null;
  readonly traits: readonly string[];
  /** UUIDs; empty means any. */
  readonly candidateNodes: readonly string[];
  readonly extra: JsonObject;
  readonly owner: string | null;
}

/** An identifier of a node for storage: an IQN, a WWPN, a MAC. API 1.32. */
export interface VolumeConnector extends Recorded {
  readonly nodeUuid: string;
  /** `iqn`, `ip`, `mac`, `wwnn`, `wwpn`, `port`, `portgroup`. */
  readonly type: string;
  readonly connectorId: string;
  readonly extra: JsonObject;
}

/** A remote volume of a node. API 1.32. */
export interface VolumeTarget extends Recorded {
  readonly nodeUuid: string;
  /** `iscsi`, `fibre_channel`, ... */
  readonly volumeType: string;
  readonly volumeId: string;
  /** 0 is the root volume. */
  readonly bootIndex: number;
  readonly properties: JsonObject;
  readonly extra: JsonObject;
}
