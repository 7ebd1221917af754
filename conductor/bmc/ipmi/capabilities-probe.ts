/**
 * Get Channel Authentication Capabilities, sent outside a session. It shows whether a silent BMC is unreachable or
 * ignores the cipher suite it was offered.
 */
import {
  type AuthenticationCapabilities,
  getAuthenticationCapabilities as command,
  THIS_CHANNEL,
} from '@ingot/shared/codec/ipmi/authentication-capabilities.ts';
import { COMPLETED } from '@ingot/shared/codec/ipmi/completion-code.ts';
import { decodeLanResponse, encodeLanRequest } from '@ingot/shared/codec/ipmi/lan-message.ts';
import { decodeRmcp, encodeRmcp } from '@ingot/shared/codec/ipmi/rmcp.ts';
import { decodeSessionless, encodeSessionless } from '@ingot/shared/codec/ipmi/session-v15.ts';
import type { Deadline } from './deadline.ts';
import type { Retransmission } from './retransmission.ts';
import type { Outcome, UdpPeer } from './udp-peer.ts';

const TRIES = 3;
const SEQUENCE = 0;

export function probeCapabilities(
  peer: UdpPeer,
  privilege: number,
  retransmission: Retransmission,
  deadline: Deadline,
): Promise<Outcome<AuthenticationCapabilities>> {
  const { netFn, code } = command;
  const data = command.encodeRequest({ channel: THIS_CHANNEL, privilege });
  const message = encodeLanRequest({ netFn, sequence: SEQUENCE, command: code, data });
  const datagram = encodeRmcp(encodeSessionless(message));
  return retransmission.ask(peer, { datagram: () => datagram, accept: answerOf, maxTries: TRIES }, deadline);
}

function answerOf(datagram: Buffer): AuthenticationCapabilities | undefined {
  const session = decodeRmcp(datagram);
  const message = session.ok ? decodeSessionless(session.value) : session;
  const response = message.ok ? decodeLanResponse(message.value) : message;
  if (!response.ok || response.value.command !== command.code) return undefined;
  if (response.value.completionCode !== COMPLETED) return undefined;
  const decoded = command.decodeResponse(response.value.data);
  return decoded.ok ? decoded.value : undefined;
}
