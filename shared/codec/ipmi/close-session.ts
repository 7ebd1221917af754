/**
 * Close Session (IPMI 2.0 section 22.19): ends a session, given by the BMC's session id. Any session may end another.
 *
 *   request   | BMC session id, 4 LE |
 */
import { type Command, NetFn, NOTHING, type Nothing, noBytes } from './command.ts';
import { good, short } from './decoded.ts';

export interface CloseSessionRequest {
  readonly sessionId: number;
}

/** Completion code for a session id that the BMC does not know or no longer knows. */
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
