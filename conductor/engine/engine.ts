/**
 * The engine as the API and the façade use it. All work on nodes goes through this interface.
 *
 * Verbs return when they are accepted and stored; the work continues in the background. Errors are IngotErrors whose
 * text names the field or the state, and what to do.
 */
import type { BootDeviceSetting, Hardware, HardwareType, PowerTarget } from '../domain/drivers.ts';
import type { Json, JsonObject } from '../domain/json.ts';
import type { BootDevice, InterfaceType, NewPort, Node, NodePatch, Port, PortPatch } from '../domain/node.ts';
import type { NodeContext } from '../domain/node-context.ts';
import type { Allocation, NewRecord } from '../domain/resources.ts';
import type { Verb } from '../domain/verbs.ts';

/** The caller, for the history of the node. */
export interface Requester {
  readonly user: string | null;
  /** Id of the project. */
  readonly project: string | null;
}

export interface ProvisionRequest {
  readonly verb: Verb;
  /** base64 gzip string, object {meta_data, ...}, or URL. */
  readonly configdrive?: Json;
  /** `[{interface, step, args, priority}]`, as on the wire. */
  readonly deploySteps?: readonly JsonObject[];
  readonly cleanSteps?: readonly JsonObject[];
  readonly serviceSteps?: readonly JsonObject[];
  /** For clean and service: run the steps without booting the ramdisk. */
  readonly disableRamdisk?: boolean;
  /** Stored as a secret until the rescue has ended. */
  readonly rescuePassword?: string;
  readonly by?: Requester;
}

export interface NodeRequest {
  readonly uuid?: string;
  readonly driver: string;
  /** Interfaces of the request; the others get the driver's defaults. */
  readonly interfaces: Partial<Record<InterfaceType, string>>;
  readonly fields: Omit<NodePatch, 'driver' | 'interfaces'>;
}

export type InterfaceCheck = { readonly result: boolean; readonly reason?: string };

export interface Engine {
  readonly conductor: string;
  /** The group of nodes that it serves; '' is none. */
  readonly conductorGroup: string;
  readonly hardwareTypes: readonly HardwareType[];

  /** Throws invalidParameter for an unknown driver or interface, conflict for a name in use. */
  createNode(request: NodeRequest): Promise<Node>;
  /**
   * Changes a node under its lock: `change` gets the current node and returns the patch. A changed driver or
   * interface is checked; `resetInterfaces` selects the driver's defaults. Throws nodeLocked after the queue time.
   */
  updateNode(
    uuid: string,
    purpose: string,
    change: (node: Node) => NodePatch,
    options?: { resetInterfaces?: boolean },
  ): Promise<Node>;
  /** Throws conflict in a state in which the node can not be deleted, forbidden when it is protected. */
  deleteNode(uuid: string): Promise<void>;
  createPort(port: NewPort): Promise<Port>;
  updatePort(uuid: string, patch: PortPatch): Promise<Port>;
  deletePort(uuid: string): Promise<void>;

  /**
   * Runs `work` under the node's lock, for resources that belong to the node. Throws notFound, nodeLocked after the
   * queue time.
   */
  withNode<T>(nodeUuid: string, purpose: string, work: (node: Node) => Promise<T>): Promise<T>;

  /** Stores the allocation and looks for a node in the background; in the end it is `active` or `error`. */
  allocate(record: NewRecord<Allocation>): Promise<Allocation>;
  /** For an instance that exists already. Throws conflict naming what does not fit. */
  backfillAllocation(record: NewRecord<Allocation>, nodeUuid: string): Promise<Allocation>;
  /** Throws conflict while the node is in use. */
  deallocate(allocation: Allocation): Promise<void>;

  provision(nodeUuid: string, request: ProvisionRequest): Promise<void>;
  power(nodeUuid: string, target: PowerTarget, timeoutMs?: number): Promise<void>;
  setMaintenance(nodeUuid: string, maintenance: { on: boolean; reason?: string }): Promise<void>;
  /**
   * Runs `work` with the node's interfaces, within the time limit of BMC work. Runs under the node's lock, or beside
   * its holder when it `shares` the node.
   */
  withHardware<T>(
    nodeUuid: string,
    purpose: string,
    work: (hardware: Hardware, context: NodeContext) => Promise<T>,
    options?: { readonly shares?: boolean },
  ): Promise<T>;
  /** The node's interfaces, for reading. */
  hardwareOf(node: Node): Hardware;
  validate(nodeUuid: string): Promise<Partial<Record<InterfaceType, InterfaceCheck>>>;
  getBootDevice(nodeUuid: string): Promise<{ device: BootDevice | null; persistent: boolean | null }>;
  setBootDevice(nodeUuid: string, setting: BootDeviceSetting): Promise<void>;
  supportedBootDevices(nodeUuid: string): Promise<readonly BootDevice[]>;

  /** Calls `look` after each piece of work on the node, until the returned function is called. */
  watchNode(nodeUuid: string, look: () => void): () => void;

  /** Advances the node now, because DHCP, TFTP or HTTP saw its machine. */
  wake(nodeUuid: string): void;

  start(): Promise<void>;
  stop(): Promise<void>;
}
