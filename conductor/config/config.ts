/**
 * The configuration of a conductor: all settings, checked against each other and the machine. No other room reads the
 * environment.
 */
import { join, resolve } from 'node:path';
import { parseKernelParam } from '../domain/boot.ts';
import { hostPortText, isLoopback } from '../domain/host-port.ts';
import { type Layers, type Resolved, resolveLayers } from './layers.ts';
import { type Interfaces, type ProvisioningNetwork, provisioningNetwork } from './provisioning-network.ts';
import type { Values } from './settings.ts';
import { tlsProblems } from './tls-files.ts';

export type Config = Omit<
  Values,
  'host' | 'conductorGroup' | 'interface' | 'ramdiskDir' | 'dataDir' | 'secretKeyFile'
> & {
  readonly host: string;
  /** In lower case; '' means nodes without a group. */
  readonly conductorGroup: string;
  /** Absolute. */
  readonly dataDir: string;
  /** Absolute. */
  readonly secretKeyFile: string;
  /** Absolute. */
  readonly ramdiskDir: string;
  /** null: no network boot. */
  readonly network: ProvisioningNetwork | null;
};

export interface Machine {
  readonly hostName: string;
  readonly interfaces: Interfaces;
}

export type LoadedConfig =
  | { readonly ok: true; readonly config: Config; readonly resolved: Resolved }
  | { readonly ok: false; readonly problems: readonly string[]; readonly resolved: Resolved };

export function loadConfig(layers: Layers, machine: Machine): LoadedConfig {
  const resolved = resolveLayers(layers);
  const { values } = resolved;
  const problems = [...resolved.problems];
  const network =
    values.interface === null ? null : provisioningNetwork(values.interface, machine.interfaces);
  if (typeof network === 'string') problems.push(`interface: ${network}`);
  problems.push(...authProblems(values), ...exposureProblems(values), ...serviceProblems(values));
  problems.push(...rangeProblems(values), ...kernelProblems(values), ...tlsProblems(values));
  if (problems.length > 0 || typeof network === 'string') return { ok: false, problems, resolved };
  const dataDir = resolve(values.dataDir);
  const config: Config = {
    ...values,
    host: values.host ?? machine.hostName,
    conductorGroup: values.conductorGroup?.toLowerCase() ?? '',
    network,
    dataDir,
    secretKeyFile:
      values.secretKeyFile === null ? join(dataDir, 'secrets.key') : resolve(values.secretKeyFile),
    ramdiskDir: values.ramdiskDir === null ? join(dataDir, 'ramdisk') : resolve(values.ramdiskDir),
  };
  return { ok: true, config, resolved };
}

/** Missing settings of the selected authentication. */
function authProblems(values: Values): string[] {
  if (values.auth === 'http_basic') {
    return values.htpasswdFile === null ? ['api.htpasswd_file: is needed by api.auth http_basic'] : [];
  }
  if (values.auth === 'keystone') {
    const needed = { auth_url: values.keystoneAuthUrl, username: values.keystoneUsername };
    return Object.entries({ ...needed, password: values.keystonePassword })
      .filter(([, value]) => value === null)
      .map(([name]) => `keystone.${name}: is needed by api.auth keystone`);
  }
  return [];
}

/** An API without authentication must not be reachable from other hosts. */
function exposureProblems({ auth, forceInsecure, listen, computeListen }: Values): string[] {
  if (auth !== 'none' || forceInsecure) return [];
  return Object.entries({ 'api.listen': listen, 'compute.listen': computeListen })
    .flatMap(([name, place]) => (place === null || isLoopback(place.host) ? [] : [[name, place] as const]))
    .map(
      ([name, place]) =>
        `${name}: ${hostPortText(place)} can be reached from outside, and api.auth is "none": anybody could wipe your machines. Listen on 127.0.0.1, set api.auth to http_basic or keystone, or give --force-insecure in a closed laboratory.`,
    );
}

function serviceProblems({ serviceReportMs: report, serviceDownMs: down }: Values): string[] {
  if (down > report) return [];
  return [
    `compute.service_down_seconds: ${down / 1000} is not more than compute.service_report_seconds, ${report / 1000}: services would seem down between reports`,
  ];
}

function rangeProblems(values: Values): string[] {
  const { dhcpRangeStart: start, dhcpRangeEnd: end } = values;
  if ((start === null) !== (end === null)) return ['dhcp.range_start and dhcp.range_end go together'];
  if (start === null || end === null) return [];
  return addressNumber(start) > addressNumber(end) ? ['dhcp.range_end: comes before dhcp.range_start'] : [];
}

/** Each word becomes part of a kernel command line unchanged. */
function kernelProblems({ kernelParams }: Values): string[] {
  return kernelParams
    .split(/\s+/)
    .filter((word) => word !== '' && parseKernelParam(word) === undefined)
    .map((word) => `boot.kernel_params: "${word}" is not a word for a kernel command line`);
}

const addressNumber = (address: string): number =>
  address.split('.').reduce((sum, part) => sum * 256 + Number(part), 0);
