/**
 * What the engine is given by app/: ports only, no concrete class.
 */
import type { AgentLink } from '../domain/agent-link.ts';
import type { ConfigDriveBuilder, HardwareType, Services } from '../domain/drivers.ts';
import type { ImageCache } from '../domain/images.ts';
import type { Store } from '../domain/store/store.ts';

/** The part of a pino logger the engine uses. */
export interface Logger {
  debug(fields: object, message: string): void;
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}

export interface EngineSettings {
  /** Conductor host name: the owner of reservations. */
  readonly host: string;
  /** The group of nodes this conductor serves; '' are those of no group. */
  readonly conductorGroup: string;
  /** How long a verb queues for a node before 409. */
  readonly lockQueueMs: number;
  /** Longest hold of a node by one piece of work. */
  readonly holdDeadlineMs: number;
  /** Limit of one network boot, power-on to first heartbeat. */
  readonly bootTimeoutMs: number;
  /** Stretches every limit of a boot step. */
  readonly bootLimitScale: number;
  /** Limit of one agent command that does not write an image or erase disks. */
  readonly commandTimeoutMs: number;
  /** Limit of image writes and erases. */
  readonly longCommandTimeoutMs: number;
  readonly agentHeartbeatTimeoutMs: number;
  readonly automatedClean: boolean;
  readonly powerSyncIntervalMs: number;
  readonly powerSyncWorkers: number;
  /** Power sync failures in a row until maintenance. */
  readonly powerSyncMaxFailures: number;
}

export interface EngineDeps {
  readonly store: Store;
  readonly hardwareTypes: readonly HardwareType[];
  readonly images: ImageCache;
  readonly configDrives: ConfigDriveBuilder;
  readonly agents: AgentLink;
  readonly services: Services;
  readonly settings: EngineSettings;
  readonly logger: Logger;
  readonly now: () => Date;
}
