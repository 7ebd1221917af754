/**
 * Reads Ironic's driver_info for `ipmitool` into an IpmiAddress.
 *
 * All user input is checked here, so the client can rely on it. A key that asks for an unsupported feature is refused
 * by name instead of ignored, so that a node that worked with Ironic does not work only in part.
 */
import { isIP } from 'node:net';
import {
  CIPHER_SUITE_IDS,
  type CipherSuiteId,
  isCipherSuiteId,
} from '@ingot/shared/codec/ipmi/cipher-suite.ts';
import {
  isPrivilegeLevel,
  PRIVILEGE_LEVELS,
  type PrivilegeLevel,
} from '@ingot/shared/codec/ipmi/privilege-level.ts';
import { MAX_USERNAME_BYTES } from '@ingot/shared/codec/ipmi/rakp-1.ts';
import { IngotError } from '../../domain/errors.ts';
import type { Json, JsonObject } from '../../domain/json.ts';
import type { IpmiAddress } from './address.ts';
import type { IpmiProperty } from './driver-properties.ts';
import { Secret } from './secret.ts';

const DEFAULT_PORT = 623;
/** K_uid and K_g of suites 3 and 17 (IPMI 2.0 section 13.31). */
const KEY_BYTES = 20;
const HOST_NAME =
  /^(?=.{1,253}$)[A-Za-z0-9_]([A-Za-z0-9_-]*[A-Za-z0-9_])?(\.[A-Za-z0-9_]([A-Za-z0-9_-]*[A-Za-z0-9_])?)*\.?$/;
const BRIDGING: readonly IpmiProperty[] = [
  'ipmi_transit_channel',
  'ipmi_transit_address',
  'ipmi_target_channel',
  'ipmi_target_address',
];

/** Throws IngotError('missingParameter' | 'invalidParameter') naming the field; never with the value of a secret. */
export function parseIpmiDriverInfo(driverInfo: JsonObject): IpmiAddress {
  const read = (name: IpmiProperty): Json | undefined => {
    const value = driverInfo[name];
    return value === null || value === '' ? undefined : value;
  };
  const text = (name: IpmiProperty): string | undefined => {
    const value = read(name);
    if (value === undefined || typeof value === 'string') return value;
    if (typeof value === 'number') return String(value);
    throw invalid(name, 'must be a string');
  };

  refuseUnsupported(read);
  const kg = parseKey(text('ipmi_hex_kg_key'));
  const localAddress = text('ipmi_local_address');
  if (localAddress !== undefined && isIP(localAddress) === 0) {
    throw invalid('ipmi_local_address', `must be an IP address, not ${JSON.stringify(localAddress)}`);
  }
  return {
    host: parseHost(text('ipmi_address')),
    port: parsePort(read('ipmi_port')),
    username: withinBytes('ipmi_username', text('ipmi_username') ?? '', MAX_USERNAME_BYTES),
    password: Secret.ofText(withinBytes('ipmi_password', text('ipmi_password') ?? '', KEY_BYTES)),
    ...(kg === undefined ? {} : { kg }),
    privilege: parsePrivilege(text('ipmi_priv_level')),
    cipherSuites: parseCipherSuites(read('ipmi_cipher_suite')),
    ...(localAddress === undefined ? {} : { localAddress }),
    disableBootTimeout: parseFlag('ipmi_disable_boot_timeout', read('ipmi_disable_boot_timeout'), true),
    forceBootDevice: parseFlag('ipmi_force_boot_device', read('ipmi_force_boot_device'), false),
  };
}

function invalid(name: IpmiProperty, what: string): IngotError {
  return new IngotError('invalidParameter', `driver_info.${name} ${what}`);
}

function refuseUnsupported(read: (name: IpmiProperty) => Json | undefined): void {
  const bridging = read('ipmi_bridging');
  if (bridging !== undefined && bridging !== 'no') {
    throw invalid(
      'ipmi_bridging',
      'asks for bridging, which is not supported: give the address of the BMC itself',
    );
  }
  const stray = BRIDGING.find((name) => read(name) !== undefined);
  if (stray !== undefined) throw invalid(stray, 'belongs to bridging, which is not supported: remove it');
  const version = read('ipmi_protocol_version');
  if (version !== undefined && String(version) !== '2.0' && version !== 2) {
    throw invalid(
      'ipmi_protocol_version',
      `must be 2.0, not ${JSON.stringify(version)}: version 1.5 sends commands unencrypted`,
    );
  }
}

function parseHost(host: string | undefined): string {
  if (host === undefined) {
    throw new IngotError('missingParameter', 'driver_info.ipmi_address is required: the address of the BMC');
  }
  const bare = host.startsWith('[') && host.endsWith(']') ? host.slice(1, -1) : host;
  if (isIP(bare) === 0 && !HOST_NAME.test(bare)) {
    throw invalid('ipmi_address', `must be a host name or an IP address, not ${JSON.stringify(host)}`);
  }
  return bare;
}

function parsePort(value: Json | undefined): number {
  if (value === undefined) return DEFAULT_PORT;
  const port = wholeNumber(value);
  if (port === undefined || port < 1 || port > 65_535) {
    throw invalid('ipmi_port', `must be a number from 1 to 65535, not ${JSON.stringify(value)}`);
  }
  return port;
}

function parsePrivilege(text: string | undefined): PrivilegeLevel {
  const level = text?.toUpperCase() ?? 'ADMINISTRATOR';
  if (isPrivilegeLevel(level)) return level;
  const known = Object.keys(PRIVILEGE_LEVELS).join(', ');
  throw invalid('ipmi_priv_level', `must be one of ${known}, not ${JSON.stringify(text)}`);
}

function parseCipherSuites(value: Json | undefined): readonly CipherSuiteId[] {
  if (value === undefined) return CIPHER_SUITE_IDS;
  const id = wholeNumber(value);
  if (id !== undefined && isCipherSuiteId(id)) return [id];
  const known = CIPHER_SUITE_IDS.join(' or ');
  throw invalid(
    'ipmi_cipher_suite',
    `must be ${known}, the suites that sign and encrypt, not ${JSON.stringify(value)}`,
  );
}

/** 40 hexadecimal digits, as in Ironic. The error text does not contain the value. */
function parseKey(hex: string | undefined): Secret | undefined {
  if (hex === undefined) return undefined;
  if (!/^[0-9a-fA-F]+$/.test(hex) || hex.length !== 2 * KEY_BYTES) {
    throw invalid('ipmi_hex_kg_key', `must be ${2 * KEY_BYTES} hexadecimal digits`);
  }
  return new Secret(Buffer.from(hex, 'hex'));
}

function withinBytes(name: IpmiProperty, value: string, limit: number): string {
  if (value.includes('\0')) throw invalid(name, 'must not hold a NUL character');
  if (Buffer.byteLength(value, 'utf8') > limit) throw invalid(name, `is longer than ${limit} bytes`);
  return value;
}

/** The words for a boolean that Ironic accepts. */
const FLAGS: Readonly<Record<string, boolean>> = {
  true: true,
  yes: true,
  on: true,
  '1': true,
  t: true,
  y: true,
  false: false,
  no: false,
  off: false,
  '0': false,
  f: false,
  n: false,
};

function parseFlag(name: IpmiProperty, value: Json | undefined, absent: boolean): boolean {
  if (value === undefined) return absent;
  const word = String(value).trim().toLowerCase();
  const flag = Object.hasOwn(FLAGS, word) ? FLAGS[word] : undefined;
  if (flag === undefined) throw invalid(name, `must be true or false, not ${JSON.stringify(value)}`);
  return flag;
}

function wholeNumber(value: Json): number | undefined {
  if (typeof value === 'number') return Number.isInteger(value) ? value : undefined;
  return typeof value === 'string' && /^[0-9]{1,6}$/.test(value.trim()) ? Number(value) : undefined;
}
