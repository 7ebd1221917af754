/**
 * What an interface may offer beside its steps. A part that is missing is answered with "not supported".
 */
import type { Json, JsonObject } from './json.ts';
import type { BootMode, Node } from './node.ts';
import type { NodeContext } from './node-context.ts';

/** Of a console interface. Returns when the console is there, or gone. */
export interface ConsoleControl {
  start(context: NodeContext): Promise<void>;
  stop(context: NodeContext): Promise<void>;
  /** `{type, url}` for whoever wants to look; `{}` when there is nothing to connect to. */
  describe(node: Node): JsonObject;
}

/** Of a management interface: how the firmware boots. */
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

/** Of a management interface: lights. */
export interface IndicatorControl {
  /** Those of this machine. */
  list(context: NodeContext): Promise<readonly Indicator[]>;
  get(context: NodeContext, indicator: Indicator): Promise<IndicatorState>;
  set(context: NodeContext, indicator: Indicator, state: IndicatorState): Promise<void>;
}

export interface VendorMethod {
  readonly httpMethods: readonly string[];
  readonly description: string;
  /** The answer does not wait for it. */
  readonly async: boolean;
  /** Only looks: it does not wait for the node to be free. */
  readonly sharesNode?: true;
  call(context: NodeContext, params: JsonObject): Promise<Json>;
}

export interface BiosSetting {
  readonly name: string;
  readonly value: string | null;
  readonly createdAt: Date;
  readonly updatedAt: Date | null;
}

/** What has firmware: `bmc`, `bios`, `nic:<n>`. */
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

/** Of a management interface: images that the BMC shows to the machine as drives. */
export interface VirtualMediaControl {
  list(context: NodeContext): Promise<readonly VirtualMedium[]>;
  /** Takes the place of what was attached to the device. */
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
  /** Keys of a logical disk -> what they mean. */
  readonly logicalDiskProperties?: Readonly<Record<string, string>>;
  readonly biosSettings?: (node: Node) => readonly BiosSetting[];
  readonly firmwareComponents?: (node: Node) => readonly FirmwareComponent[];
  readonly virtualMedia?: VirtualMediaControl;
  /** Of a management interface: `OK`, `WARNING`, `CRITICAL`, null when the BMC says nothing. */
  readonly health?: (context: NodeContext) => Promise<string | null>;
}
