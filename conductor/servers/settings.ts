/**
 * Settings of the compute service.
 */
import type { JsonObject } from '../domain/json.ts';
import { DAY_SECONDS, type Settings } from '../domain/setting.ts';
import type { SchedulerSettings } from '../scheduler/settings.ts';

export const SERVER_SETTINGS = {
  defaultAvailabilityZone: {
    name: 'compute.default_availability_zone',
    type: 'text',
    default: 'nova',
    help: 'Availability zone of machines that no aggregate assigns to another zone.',
  },
  failureDomainCapability: {
    name: 'scheduler.failure_domain_capability',
    type: 'text',
    default: null,
    help: 'Capability of nodes that names their failure domain, such as `rack`. Server groups keep servers in one failure domain, or in different ones. Unset: each machine is a domain of its own.',
  },
  serviceReportMs: {
    name: 'compute.service_report_seconds',
    type: 'integer',
    default: 10,
    min: 1,
    max: 3600,
    unit: 'seconds',
    help: 'How often this conductor reports that its compute service is up.',
  },
  serviceDownMs: {
    name: 'compute.service_down_seconds',
    type: 'integer',
    default: 60,
    min: 2,
    max: DAY_SECONDS,
    unit: 'seconds',
    help: 'A compute service that has not reported for this time is down and gets no servers. Must be more than `compute.service_report_seconds`.',
  },
  vendorDataFile: {
    name: 'compute.vendor_data_file',
    type: 'path',
    default: null,
    help: "JSON file with an object for `vendor_data.json` in every server's config drive. Read at the start.",
  },
} as const satisfies Settings;

export interface ComputeSettings {
  /** Name of the conductor, also in its role as compute service. */
  readonly host: string;
  /** Base URL of all links in answers, without a trailing slash; null: taken from the request. */
  readonly publicEndpoint: string | null;
  readonly scheduler: SchedulerSettings;
  /** Zone of machines that are in no aggregate with a zone. */
  readonly defaultAvailabilityZone: string;
  /**
   * The capability of nodes that names their failure domain, such as `rack`; null: every machine is its own domain.
   */
  readonly domainCapability: string | null;
  /** Part of every server's config drive; null: nothing. */
  readonly vendorData: JsonObject | null;
  readonly serviceReportMs: number;
  readonly serviceDownMs: number;
  /** Largest number of entries in one page of a list. */
  readonly maxLimit: number;
}
