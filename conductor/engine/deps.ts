/**
 * What the engine needs from app/: only interfaces, no implementations.
 */
import type { AgentLink } from '../domain/agent-link.ts';
import type { ConfigDriveBuilder, HardwareType, Services } from '../domain/drivers.ts';
import type { ImageCache } from '../domain/images.ts';
import type { Store } from '../domain/store/store.ts';
import type { EngineSettings } from './settings.ts';

/** The part of a pino logger the engine uses. */
export interface Logger {
  debug(fields: object, message: string): void;
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
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
