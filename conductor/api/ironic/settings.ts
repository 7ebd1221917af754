/**
 * Settings of the bare-metal API.
 */
import type { Settings, SettingValues } from '../../domain/setting.ts';

export const API_SETTINGS = {
  listen: {
    name: 'api.listen',
    type: 'hostPort',
    default: '127.0.0.1:6385',
    flag: '--listen <host:port>',
    help: "Address of the operators' API.",
  },
  publicEndpoint: {
    name: 'api.public_endpoint',
    type: 'url',
    default: null,
    help: 'Base URL of links in answers, when clients reach the API by another one than they send in Host: behind a proxy, say.',
  },
  maxLimit: {
    name: 'api.max_limit',
    type: 'integer',
    default: 1000,
    min: 1,
    max: 10_000,
    unit: 'rows',
    help: 'Largest page of a list.',
  },
  ramdiskCallsPerMinute: {
    name: 'boot.calls_per_minute',
    type: 'integer',
    default: 600,
    min: 10,
    max: 1_000_000,
    unit: 'calls',
    help: 'Lookups, heartbeats and inspections that one address may send in a minute over the provisioning network.',
  },
  heartbeatTimeoutMs: {
    name: 'agent.heartbeat_timeout_seconds',
    type: 'integer',
    default: 300,
    min: 10,
    max: 3600,
    unit: 'seconds',
    help: 'An agent that was silent for so long is lost. Agents are told to report at a random 0.3 to 0.6 of it.',
  },
} as const satisfies Settings;

export type ApiSettings = Pick<
  SettingValues<typeof API_SETTINGS>,
  'publicEndpoint' | 'maxLimit' | 'ramdiskCallsPerMinute' | 'heartbeatTimeoutMs'
> & {
  /** Conductor host name. */
  readonly host: string;
};
