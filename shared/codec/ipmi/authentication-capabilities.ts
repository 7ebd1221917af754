/**
 * Get Channel Authentication Capabilities (IPMI 2.0 section 22.13): what a BMC supports, asked outside a session.
 *
 *   request   | 0x80: v2.0 data wanted, channel in 3:0 | privilege level |
 *   response  | channel | types | status | extended | OEM id, 3 LE | OEM data |
 *
 * types:    7 extended data present, 5 OEM, 4 password, 2 MD5, 1 MD2, 0 none (v1.5 only)
 * status:   5 K_g set, 2 named users, 1 null user names, 0 anonymous log-in
 * extended: 1 IPMI v2.0 (RMCP+) sessions, 0 v1.5 sessions
 */
import type { Command } from './command.ts';
import { NetFn } from './command.ts';
import { good, short } from './decoded.ts';

export interface AuthenticationCapabilitiesRequest {
  /** 0x0e: the channel on which the request arrived. */
  readonly channel: number;
  readonly privilege: number;
}

export interface AuthenticationCapabilities {
  readonly channel: number;
  /** RMCP+ sessions can be opened. */
  readonly rmcpPlus: boolean;
  /** v1.5 sessions can be opened. */
  readonly v15: boolean;
  /** The BMC key K_g is set, and the console must know it (`ipmi_hex_kg_key`). */
  readonly kgSet: boolean;
  readonly namedUsers: boolean;
  readonly nullUsernames: boolean;
  readonly anonymousLogin: boolean;
}

export const THIS_CHANNEL = 0x0e;
const EXTENDED = 0x80;
const RESPONSE_BYTES = 8;

export const getAuthenticationCapabilities: Command<
  AuthenticationCapabilitiesRequest,
  AuthenticationCapabilities
> = {
  name: 'Get Channel Authentication Capabilities',
  netFn: NetFn.app,
  code: 0x38,
  encodeRequest: ({ channel, privilege }) => Buffer.from([EXTENDED | channel, privilege]),
  decodeRequest: (data) =>
    data.length < 2
      ? short('request', 2, data.length)
      : good({ channel: data[0]! & 0x0f, privilege: data[1]! & 0x0f }),
  encodeResponse: (c) => {
    const status =
      (c.kgSet ? 0x20 : 0) | (c.namedUsers ? 4 : 0) | (c.nullUsernames ? 2 : 0) | (c.anonymousLogin ? 1 : 0);
    const extended = (c.rmcpPlus ? 2 : 0) | (c.v15 ? 1 : 0);
    return Buffer.from([c.channel, EXTENDED, status, extended, 0, 0, 0, 0]);
  },
  decodeResponse: (data) => {
    if (data.length < RESPONSE_BYTES) return short('response', RESPONSE_BYTES, data.length);
    const [channel, types, status, extended] = [data[0]!, data[1]!, data[2]!, data[3]!];
    const has20Data = (types & EXTENDED) !== 0;
    return good({
      channel: channel & 0x0f,
      rmcpPlus: has20Data && (extended & 2) !== 0,
      v15: has20Data ? (extended & 1) !== 0 : true,
      kgSet: has20Data && (status & 0x20) !== 0,
      namedUsers: (status & 4) !== 0,
      nullUsernames: (status & 2) !== 0,
      anonymousLogin: (status & 1) !== 0,
    });
  },
};
