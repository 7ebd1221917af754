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
  apiTlsCert: {
    name: 'api.tls.cert',
    type: 'path',
    default: null,
    help: "PEM file with the certificate of the operators' API, followed by those of intermediate CAs. With it and `api.tls.key` the API speaks only HTTPS (TLS 1.2 and newer). Read again on SIGHUP.",
  },
  apiTlsKey: {
    name: 'api.tls.key',
    type: 'path',
    default: null,
    help: 'PEM file with the private key of that certificate, without a passphrase. Other users must not be able to read it.',
  },
  publicEndpoint: {
    name: 'api.public_endpoint',
    type: 'url',
    default: null,
    help: 'Base URL of links in answers, if it differs from the Host header that arrives here, for example behind a proxy.',
  },
  maxLimit: {
    name: 'api.max_limit',
    type: 'integer',
    default: 1000,
    min: 1,
    max: 10_000,
    unit: 'rows',
    help: 'Largest number of entries in one page of a list.',
  },
  ramdiskCallsPerMinute: {
    name: 'boot.calls_per_minute',
    type: 'integer',
    default: 600,
    min: 10,
    max: 1_000_000,
    unit: 'calls',
    help: 'Number of lookups, heartbeats and inspection results that one address may send per minute.',
  },
  heartbeatTimeoutMs: {
    name: 'agent.heartbeat_timeout_seconds',
    type: 'integer',
    default: 300,
    min: 10,
    max: 3600,
    unit: 'seconds',
    help: 'Time after which an agent without heartbeats counts as lost. Agents send a heartbeat at a random 0.3 to 0.6 of this time.',
  },
} as const satisfies Settings;

export type ApiSettings = Pick<
  SettingValues<typeof API_SETTINGS>,
  'publicEndpoint' | 'maxLimit' | 'ramdiskCallsPerMinute' | 'heartbeatTimeoutMs'
> & {
  /** Host name of the conductor. */
  readonly host: string;
};
