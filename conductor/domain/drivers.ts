/**
 * The interfaces that a driver implements, named as on the wire.
 *
 * A hardware type lists its implementations in order of preference; a node names one of each. Drivers do not lock
 * nodes: the engine does, and passes a context.
 */
import type { DriverParts } from './driver-parts.ts';
import type { ImageCache } from './images.ts';
import type { InstanceInfo } from './instance-info.ts';
import type { Json, JsonObject } from './json.ts';
import type { BootDevice, InterfaceType, Node, NodePatch, Port, PowerState } from './node.ts';
import type { NodeAgent } from './node-agent.ts';
import type { NodeContext } from './node-context.ts';
import type { OperationKind } from './operations.ts';
import type { StepOutcome, WorkOutcome } from './step-outcome.ts';
import type { StepProgress, StepRecord } from './steps.ts';

export interface DriverInterface extends DriverParts {
  /** Name on the wire: `ipmitool`, `ipxe`, `direct`, ... */
  readonly name: string;
  /** The driver_info and instance_info keys that it reads, with descriptions. */
  readonly properties: Readonly<Record<string, string>>;
  /** Throws IngotError('missingParameter' | 'invalidParameter' | 'unsupported') naming the field. No I/O. */
  validate(node: Node, ports: readonly Port[]): void;
  /** The steps that this interface adds to each kind of operation. */
  readonly steps?: readonly StepImplementation[];
  /** For deploy interfaces: it boots no agent, so the agent can not add steps. */
  readonly withoutAgent?: true;
}

export type PowerTarget = 'power on' | 'power off' | 'rebooting' | 'soft power off' | 'soft rebooting';

export interface PowerInterface extends DriverInterface {
  readonly targets: readonly PowerTarget[];
  getPowerState(context: NodeContext): Promise<PowerState>;
  /** Returns when the hardware confirms it. Throws IngotError('bmcFailure' | 'timeout'). */
  setPowerState(context: NodeContext, target: PowerTarget, timeoutMs?: number): Promise<void>;
}

export interface BootDeviceSetting {
  readonly device: BootDevice;
  readonly persistent: boolean;
}

export interface ManagementInterface extends DriverInterface {
  /** The devices of this machine. */
  supportedBootDevices(context: NodeContext): Promise<readonly BootDevice[]>;
  getBootDevice(context: NodeContext): Promise<{ device: BootDevice | null; persistent: boolean | null }>;
  setBootDevice(context: NodeContext, setting: BootDeviceSetting): Promise<void>;
}

/** What a boot interface may do, inside a step or after an operation has failed. */
export interface BootContext extends NodeContext {
  readonly management: ManagementInterface;
  /** Merges `memo` into the memo of this work and stores it. Call before each effect. */
  remember(memo: JsonObject): Promise<void>;
  updateNode(patch: NodePatch): Promise<void>;
  setPower(target: PowerTarget): Promise<void>;
}

/**
 * Controls what the machine boots next, over the network or from virtual media. Each method may take long or fail
 * half-way, so it is re-entrant: it is called with its memo until it answers `done`, also after a restart of the
 * conductor. Starting again with an empty memo, or once more after `done`, must do no harm.
 */
export interface BootInterface extends DriverInterface {
  /** The next power-on boots the ramdisk with these parameters; the boot device is set, too. */
  prepareRamdisk(context: BootContext, memo: JsonObject, kernelParams: JsonObject): Promise<WorkOutcome>;
  /** From now on the machine boots its own disk. The agent may still be running. */
  prepareInstance(context: BootContext, memo: JsonObject, options: InstanceBoot): Promise<WorkOutcome>;
  /** Afterwards the machine gets nothing to boot. Also called after a failure, to make the node safe. */
  cleanUp(context: BootContext, memo: JsonObject): Promise<WorkOutcome>;
}

export interface InstanceBoot {
  /** The instance runs already, as on an adopted node: do not touch the machine. */
  readonly isRunning: boolean;
}

/** A step as code. `advance` is re-entrant: it is called until it answers `done`, also after a restart. */
export interface StepImplementation {
  readonly operation: OperationKind;
  readonly step: string;
  /** 0: never runs automatically. */
  readonly priority: number;
  readonly abortable: boolean;
  /** After a crash during the step: resume from its memo, begin again with an empty memo, or fail. */
  readonly onRestart: 'resume' | 'rerun' | 'fail';
  readonly argsInfo?: Readonly<Record<string, { readonly description: string; readonly required: boolean }>>;
  advance(context: StepContext): Promise<StepOutcome>;
}

export interface Hardware {
  readonly power: PowerInterface;
  readonly management: ManagementInterface;
  readonly boot: BootInterface;
  readonly deploy: DriverInterface;
  readonly inspect: DriverInterface;
  readonly network: DriverInterface;
  /** All interfaces of the node by type. */
  readonly all: Readonly<Record<InterfaceType, DriverInterface>>;
}

export interface StepContext extends NodeContext {
  readonly hardware: Hardware;
  /** instance_info as it is now. */
  readonly instance: InstanceInfo;
  readonly operation: {
    readonly id: number;
    readonly kind: OperationKind;
    readonly args: JsonObject;
    /** As they were when this step was advanced. */
    readonly steps: readonly StepRecord[];
    readonly startedAt: Date;
  };
  readonly step: StepRecord;
  /** Merges `memo` into the step's memo and stores it. Call before each effect. */
  remember(memo: JsonObject): Promise<void>;
  progress(progress: StepProgress): Promise<void>;
  /** Stores a change of the node; later reads of `context.node` see it. */
  updateNode(patch: NodePatch): Promise<void>;
  /** Changes power, ends the agent session, stores the states and records the sighting. */
  setPower(target: PowerTarget): Promise<void>;
  /** Time of the last heartbeat since `since`, if any. */
  heartbeatSince(since: Date): Date | undefined;
  /** The progress of the boot since `since`: what was seen last, what is missing, and by when it must come. */
  bootProgress(since: Date): Promise<BootProgress>;
  readonly agent: NodeAgent;
  readonly images: ImageCache;
  readonly configDrives: ConfigDriveBuilder;
  readonly services: Services;
  /** Time limits of agent commands: of ordinary ones, and of image writes and erases. */
  readonly limits: { readonly commandMs: number; readonly longCommandMs: number };
}

export interface BootProgress {
  /** Time by which the next sighting must come. */
  readonly deadline: Date;
  readonly overdue: boolean;
  /** One sentence: last step seen, first one missing, what to try. */
  readonly message: string;
}

/** Base URLs at which agents reach the conductor; null when no provisioning listener is open. */
export interface Services {
  /** `http://10.83.0.1:8089`, for foreign agents. */
  readonly plainUrl: string | null;
  /** `https://10.83.0.1:8090`, for agents that have proved the boot secret. */
  readonly tlsUrl: string | null;
}

export interface HardwareType {
  /** `ipmi`, `fake-hardware`. */
  readonly name: string;
  /** Implementations by type, most preferred first. A type without an entry offers only its no-op. */
  readonly interfaces: Readonly<Record<InterfaceType, readonly DriverInterface[]>>;
}

/** A config drive ready for the agent: base64 of gzip. */
export interface ConfigDriveBuilder {
  build(input: Json, node: Node, signal: AbortSignal): Promise<string>;
  /** Throws IngotError('invalidParameter') when the input can not become a config drive. */
  validate(input: Json): void;
}
