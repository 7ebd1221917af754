/**
 * Get LAN Configuration Parameters (IPMI 2.0 section 23.2): the BMC's own address. The parameters are in table 23-4.
 *
 *   request   | channel, 3:0 | parameter | set selector | block selector |
 *   response  | parameter revision | data |
 */
import { type Command, NetFn } from './command.ts';
import { type Decoded, good, short } from './decoded.ts';

export const LanParameter = { ipAddress: 3, addressSource: 4, macAddress: 5, subnetMask: 6 } as const;

/** Parameter 4, bits 3:0. */
const ADDRESS_SOURCES = ['unspecified', 'static', 'dhcp', 'bios', 'other'] as const;
export type AddressSource = (typeof ADDRESS_SOURCES)[number];

export interface LanParameterRequest {
  readonly channel: number;
  readonly parameter: number;
}

export interface LanParameterValue {
  readonly revision: number;
  readonly data: Buffer;
}

export const getLanParameter: Command<LanParameterRequest, LanParameterValue> = {
  name: 'Get LAN Configuration Parameters',
  netFn: NetFn.transport,
  code: 0x02,
  completionCodes: { 128: 'parameter not supported' },
  encodeRequest: ({ channel, parameter }) => Buffer.from([channel & 0x0f, parameter, 0, 0]),
  decodeRequest: (data) =>
    data.length < 2
      ? short('request', 2, data.length)
      : good({ channel: data[0]! & 0x0f, parameter: data[1]! }),
  encodeResponse: ({ revision, data }) => Buffer.concat([Buffer.from([revision]), data]),
  decodeResponse: (data) =>
    data.length < 1
      ? short('response', 1, data.length)
      : good({ revision: data[0]!, data: data.subarray(1) }),
};

/** Dotted decimal. */
export function decodeIpAddress(data: Buffer): Decoded<string> {
  return data.length < 4 ? short('IP address', 4, data.length) : good(data.subarray(0, 4).join('.'));
}

export function decodeAddressSource(data: Buffer): Decoded<AddressSource> {
  if (data.length < 1) return short('address source', 1, data.length);
  return good(ADDRESS_SOURCES[data[0]! & 0x0f] ?? 'other');
}

/** Lower case with colons. */
export function decodeMacAddress(data: Buffer): Decoded<string> {
  if (data.length < 6) return short('MAC address', 6, data.length);
  return good([...data.subarray(0, 6)].map((byte) => byte.toString(16).padStart(2, '0')).join(':'));
}
