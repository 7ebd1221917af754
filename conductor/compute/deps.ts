/**
 * What the rooms of the façade are given by app.ts.
 */

import type { JsonObject } from '../domain/json.ts';
import type { Store } from '../domain/store.ts';
import type { Engine } from '../engine/engine.ts';
import type { ImageService } from './image/image-service.ts';
import type { Instances } from './instances/instances.ts';
import type { ServerNetworks } from './network/server-networks.ts';
import type { SchedulerSettings } from './scheduler/settings.ts';

export interface ComputeSettings {
  /** Name of the conductor, which is the compute service too. */
  readonly host: string;
  /** Base of every link in answers, without a trailing slash; null takes it from the request. */
  readonly publicEndpoint: string | null;
  readonly scheduler: SchedulerSettings;
  /** Zone of machines that no aggregate puts in another. */
  readonly defaultAvailabilityZone: string;
  /** The capability of nodes that names what fails together, such as `rack`; null: every machine for itself. */
  readonly domainCapability: string | null;
  /** Told to all servers in their config drives; null: nothing. */
  readonly vendorData: JsonObject | null;
  readonly serviceReportMs: number;
  readonly serviceDownMs: number;
  /** Largest page of a list. */
  readonly maxLimit: number;
}

export interface ComputeLogger {
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}

/** For the routes of the four APIs. */
export interface ComputeDeps {
  readonly engine: Engine;
  readonly store: Store;
  readonly instances: Instances;
  readonly images: ImageService;
  readonly networks: ServerNetworks;
  readonly settings: ComputeSettings;
  readonly logger: ComputeLogger;
  readonly now: () => Date;
}
