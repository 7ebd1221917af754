/**
 * What an interface may offer besides its steps. A request for a missing part fails with "not supported".
 */
import type { Json, JsonObject } from './json.ts';
import type { BootMode, Node } from './node.ts';
import type { NodeContext } from './node-context.ts';

/** For console interfaces. Returns when the console has started or stopped. */
export interface ConsoleControl {
  start(context: NodeContext): Promise<void>;
  stop(context: NodeContext): Promise<void>;
  /** `{type, url}` for clients of the console; `{}` when there is none. */
  describe(node: Node): JsonObject;
}

/** For management interfaces: the boot mode of the firmware. */
export interface BootModeControl {
  setBootMode(context: NodeContext, mode: BootMode): Promise<void>;
  setSecureBoot(context: NodeContext, on: boolean): Promise<void>;
}

export const INDICATOR_COMPONENTS = ['chassis', 'system', 'disk', 'power', 'nic'] as const;
export type IndicatorState = 'ON' | 'OFF' | 'BLINKING' | 'UNKNOWN';

export interface Indicator {
  readonly component: (typeof INDICATOR_COMPONENTS)[number];
  readonly name: string;
  readonly readonly: boolean;
  readonly states: readonly IndicatorState[];
}

/** For management interfaces: indicator lights. */
export interface IndicatorControl {
  /** The indicators of this machine. */
  list(context: NodeContext): Promise<readonly Indicator[]>;
  get(context: NodeContext, indicator: Indicator): Promise<IndicatorState>;
  set(context: NodeContext, indicator: Indicator, state: IndicatorState): Promise<void>;
}

export interface VendorMethod {
  readonly httpMethods: readonly string[];
  readonly description: string;
  /** The answer is 202 without a body. It is sent when the method has finished, as for other methods. */
  readonly async: boolean;
  /** Reads only, so it runs without the lock of the node. */
  readonly sharesNode?: true;
  call(context: NodeContext, params: JsonObject): Promise<Json>;
}

export interface BiosSetting {
  readonly name: string;
  readonly value: string | null;
  readonly createdAt: Date;
  readonly updatedAt: Date | null;
}

/** A device with firmware: `bmc`, `bios`, `nic:<n>`. */
export interface FirmwareComponent {
  readonly component: string;
  readonly initialVersion: string;
  readonly currentVersion: string | null;
  readonly lastVersionFlashed: string | null;
  readonly vendor: string | null;
  readonly model: string | null;
  readonly serialNumber: string | null;
  readonly createdAt: Date;
  readonly updatedAt: Date | null;
}

export const MEDIA_DEVICES = ['disk', 'cdrom', 'floppy'] as const;
export type MediaDevice = (typeof MEDIA_DEVICES)[number];

export interface VirtualMedium {
  readonly device: MediaDevice;
  /** URL of its image; null while it is empty. */
  readonly imageUrl: string | null;
}

/** For management interfaces: images that the BMC shows to the machine as drives. */
export interface VirtualMediaControl {
  list(context: NodeContext): Promise<readonly VirtualMedium[]>;
  /** Replaces the image that was attached to the device. */
  attach(context: NodeContext, device: MediaDevice, imageUrl: string): Promise<void>;
  detach(context: NodeContext, devices: readonly MediaDevice[]): Promise<void>;
}

/** Parts by the interface type that has them. */
export interface DriverParts {
  readonly console?: ConsoleControl;
  readonly bootMode?: BootModeControl;
  readonly indicators?: IndicatorControl;
  readonly injectNmi?: (context: NodeContext) => Promise<void>;
  readonly vendorMethods?: Readonly<Record<string, VendorMethod>>;
  /** Keys of a logical disk and their descriptions. */
  readonly logicalDiskProperties?: Readonly<Record<string, string>>;
  readonly biosSettings?: (node: Node) => readonly BiosSetting[];
  readonly firmwareComponents?: (node: Node) => readonly FirmwareComponent[];
  readonly virtualMedia?: VirtualMediaControl;
  /** For management interfaces: `OK`, `WARNING`, `CRITICAL`; null when the BMC does not report it. */
  readonly health?: (context: NodeContext) => Promise<string | null>;
}
