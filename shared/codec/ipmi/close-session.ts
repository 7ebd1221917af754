/**
 * Close Session (IPMI 2.0 section 22.19): ends a session by the BMC's id of it; any session may end another.
 *
 *   request   | BMC session id, 4 LE |
 */
import { type Command, NetFn, NOTHING, type Nothing, noBytes } from './command.ts';
import { good, short } from './decoded.ts';

export interface CloseSessionRequest {
  readonly sessionId: number;
}

/** Completion code for an id the BMC does not know (any more). */
export const NO_SUCH_SESSION = 0x87;

export const closeSession: Command<CloseSessionRequest, Nothing> = {
  name: 'Close Session',
  netFn: NetFn.app,
  code: 0x3c,
  completionCodes: { [NO_SUCH_SESSION]: 'invalid session ID', 136: 'invalid session handle' },
  encodeRequest: ({ sessionId }) => {
    const data = Buffer.alloc(4);
    data.writeUInt32LE(sessionId);
    return data;
  },
  decodeRequest: (data) =>
    data.length < 4 ? short('session id', 4, data.length) : good({ sessionId: data.readUInt32LE(0) }),
  encodeResponse: noBytes,
  decodeResponse: () => good(NOTHING),
};
