/**
 * Settings of the compute service.
 */
import type { JsonObject } from '../domain/json.ts';
import type { SchedulerSettings } from '../scheduler/settings.ts';

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
