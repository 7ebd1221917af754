/**
 * The agent's settings, read from the kernel command line, with ironic-python-agent's names and a few of our own.
 */
import { BOOT_PARAMS } from '@ingot/shared/agent/kernel-params.ts';

interface Parameter {
  readonly name: string;
  readonly kind: 'text' | 'list' | 'seconds' | 'count' | 'port';
  readonly default?: string | number;
}

const PARAMETERS = {
  apiUrls: { name: 'ipa-api-url', kind: 'list' },
  inspectionCallbackUrl: { name: 'ipa-inspection-callback-url', kind: 'text' },
  inspectionCollectors: { name: 'ipa-inspection-collectors', kind: 'list' },
  listenHost: { name: 'ipa-listen-host', kind: 'text' },
  listenPort: { name: 'ipa-listen-port', kind: 'port', default: 9999 },
  advertiseHost: { name: 'ipa-advertise-host', kind: 'text' },
  advertisePort: { name: 'ipa-advertise-port', kind: 'port' },
  advertiseProtocol: { name: 'ipa-advertise-protocol', kind: 'text', default: 'http' },
  agentToken: { name: 'ipa-agent-token', kind: 'text' },
  lookupTimeoutSeconds: { name: 'ipa-lookup-timeout', kind: 'seconds', default: 600 },
  lookupIntervalSeconds: { name: 'ipa-lookup-interval', kind: 'seconds', default: 1 },
  addressIntervalSeconds: { name: 'ipa-ip-lookup-timeout', kind: 'seconds', default: 2 },
  diskAttempts: { name: 'ipa-disk-wait-attempts', kind: 'count', default: 10 },
  diskDelaySeconds: { name: 'ipa-disk-wait-delay', kind: 'seconds', default: 1 },
  downloadRetries: { name: 'ipa-image-download-connection-retries', kind: 'count', default: 9 },
  downloadRetrySeconds: {
    name: 'ipa-image-download-connection-retry-interval',
    kind: 'seconds',
    default: 10,
  },
  downloadTimeoutSeconds: { name: 'ipa-image-download-connection-timeout', kind: 'seconds', default: 60 },
  bootInterface: { name: 'BOOTIF', kind: 'text' },
  trustedApiUrl: { name: BOOT_PARAMS.apiUrl, kind: 'text' },
  pin: { name: BOOT_PARAMS.pin, kind: 'text' },
  nodeUuid: { name: BOOT_PARAMS.nodeUuid, kind: 'text' },
  bootSecret: { name: BOOT_PARAMS.bootSecret, kind: 'text' },
} as const satisfies Record<string, Parameter>;

type Value<P extends Parameter> = P extends { kind: 'list' }
  ? readonly string[]
  : (P extends { kind: 'text' } ? string : number) | (P extends { default: unknown } ? never : null);

export type AgentConfig = { readonly [K in keyof typeof PARAMETERS]: Value<(typeof PARAMETERS)[K]> };

export interface ParsedConfig {
  readonly config: AgentConfig;
  /**
   * Remarks about settings that could not be used. They contain names and numbers, never values that may be secret.
   */
  readonly remarks: readonly string[];
}

interface Range {
  readonly pattern: RegExp;
  readonly least: number;
  readonly most: number;
  readonly words: string;
}

const WEEK_SECONDS = 604_800;
const RANGES: Readonly<Record<'seconds' | 'count' | 'port', Range>> = {
  seconds: { pattern: /^\d{1,9}(\.\d{1,3})?$/, least: 0, most: WEEK_SECONDS, words: 'seconds up to a week' },
  count: { pattern: /^\d{1,9}$/, least: 0, most: 100_000, words: 'a whole number up to 100000' },
  port: { pattern: /^\d{1,5}$/, least: 1, most: 65_535, words: 'a port number' },
};

/** Names may use underscores or dashes, as in ironic-python-agent. The last value of a repeated name counts. */
export function parseCommandLine(commandLine: string): ParsedConfig {
  const given = new Map<string, string>();
  for (const word of splitWords(commandLine)) {
    const [name, value = ''] = word.split(/=(.*)/s) as [string, string?];
    given.set(name.replaceAll('_', '-'), value);
  }
  const remarks: string[] = [];
  const known = new Set<string>(Object.values(PARAMETERS).map(({ name }) => name));
  const unknown = [...given.keys()].filter((name) => name.startsWith('ipa-') && !known.has(name));
  if (unknown.length > 0) remarks.push(`not used by this agent: ${unknown.join(', ')}`);
  const config = Object.fromEntries(
    Object.entries(PARAMETERS as Record<string, Parameter>).map(([key, parameter]) => [
      key,
      parse(parameter, given.get(parameter.name), remarks),
    ]),
  );
  return { config: config as AgentConfig, remarks };
}

/**
 * Splits as the kernel does (lib/cmdline.c, next_arg): a space ends a word, except between double quotes. The quotes
 * around a word or its value are removed. There is no other quoting.
 */
function splitWords(commandLine: string): string[] {
  const words = commandLine.match(/(?:"[^"]*(?:"|$)|[^\s"])+/g) ?? [];
  return words.map((word) => {
    const whole = /^"([^"]*)"?$/.exec(word)?.[1];
    if (whole !== undefined) return whole;
    const [, name, value] = /^([^="]*)="([^"]*)"?$/.exec(word) ?? [];
    return name === undefined ? word : `${name}=${value}`;
  });
}

function parse(parameter: Parameter, text: string | undefined, remarks: string[]): unknown {
  const { name, kind } = parameter;
  const fallback = kind === 'list' ? [] : (parameter.default ?? null);
  if (text === undefined || text === '') return fallback;
  if (kind === 'text') return text;
  if (kind === 'list') return text.split(',').flatMap((part) => part.trim() || []);
  const { pattern, least, most, words } = RANGES[kind];
  const number = Number(text);
  if (pattern.test(text) && number >= least && number <= most) return number;
  remarks.push(`${name} must be ${words}; using ${fallback ?? 'none'}`);
  return fallback;
}

/** The MAC address in `BOOTIF=01-52-54-00-aa-bb-cc`, in lower case with colons. */
export function bootMac(config: Pick<AgentConfig, 'bootInterface'>): string | null {
  const match = /^(?:[0-9a-f]{2}[-:])?((?:[0-9a-f]{2}[-:]){5}[0-9a-f]{2})$/i.exec(config.bootInterface ?? '');
  return match?.[1]?.toLowerCase().replaceAll('-', ':') ?? null;
}
