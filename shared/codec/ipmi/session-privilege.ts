/**
 * Set Session Privilege Level (IPMI 2.0 section 22.18): a session starts at USER level and is raised with this command.
 *
 *   request   | level, 3:0 |        response   | new level, 3:0 |
 */
import type { Command } from './command.ts';
import { NetFn } from './command.ts';
import { type Decoded, good, short } from './decoded.ts';

export interface SessionPrivilege {
  /** See PRIVILEGE_LEVELS; 0 in a request changes nothing. */
  readonly level: number;
}

const encode = ({ level }: SessionPrivilege): Buffer => Buffer.from([level & 0x0f]);
const decode = (data: Buffer): Decoded<SessionPrivilege> =>
  data.length < 1 ? short('privilege level', 1, data.length) : good({ level: data[0]! & 0x0f });

export const setSessionPrivilege: Command<SessionPrivilege, SessionPrivilege> = {
  name: 'Set Session Privilege Level',
  netFn: NetFn.app,
  code: 0x3b,
  completionCodes: {
    128: 'requested level not available for this user',
    129: "requested level exceeds the channel's or the user's limit",
    130: 'cannot disable user level authentication',
  },
  encodeRequest: encode,
  decodeRequest: decode,
  encodeResponse: encode,
  decodeResponse: decode,
};
