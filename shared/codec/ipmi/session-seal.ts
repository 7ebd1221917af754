/**
 * Packets of an open session (IPMI 2.0 section 13.6). They are encrypted, then signed; and verified, then decrypted.
 *
 * Both ends use the same keys; the session id in a packet is the receiver's.
 */
import { bad, type Decoded, good } from './decoded.ts';
import { decryptPayload, encryptPayload } from './payload-encryption.ts';
import { packetAuthCode, type SessionKeys, sameCode } from './session-keys.ts';
import { decodeSessionPacket, encodeSessionPacket, PayloadType } from './session-v20.ts';

export interface SealedMessage {
  /** The receiver's. */
  readonly sessionId: number;
  readonly sequence: number;
  /** An IPMI LAN message. */
  readonly message: Buffer;
}

export function seal(keys: SessionKeys, sealed: SealedMessage, iv: Buffer): Buffer {
  return encodeSessionPacket(
    {
      payloadType: PayloadType.ipmiMessage,
      encrypted: true,
      authenticated: true,
      sessionId: sealed.sessionId,
      sequence: sealed.sequence,
      payload: encryptPayload(keys.k2, iv, sealed.message),
    },
    (covered) => packetAuthCode(keys, covered),
  );
}

/** Refuses packets that are not signed and encrypted for `sessionId`. The caller checks the sequence number. */
export function unseal(keys: SessionKeys, sessionId: number, session: Buffer): Decoded<SealedMessage> {
  const packet = decodeSessionPacket(session, keys.suite.authCodeBytes);
  if (!packet.ok) return packet;
  const { value } = packet;
  if (value.sessionId !== sessionId) return bad('belongs to another session');
  if (!value.authenticated || !value.encrypted) return bad('not signed and encrypted');
  if (!sameCode(packetAuthCode(keys, value.covered), value.authCode)) return bad('wrong authentication code');
  if (value.payloadType !== PayloadType.ipmiMessage) return bad(`payload type ${value.payloadType}`);
  const message = decryptPayload(keys.k2, value.payload);
  if (!message.ok) return message;
  return good({ sessionId, sequence: value.sequence, message: message.value });
}
