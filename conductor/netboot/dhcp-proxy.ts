/**
 * ProxyDHCP: boot files beside another DHCP server, which gives the addresses (PXE specification 2.1, section 2.2.1).
 */
import type { DhcpMessage } from '@ingot/shared/codec/dhcp/message.ts';
import { bootRequester, MessageType, messageType, Option } from '@ingot/shared/codec/dhcp/options.ts';
import type { BootDecision, BootTrace, Mac } from '../domain/boot.ts';
import { answer, NO_ADDRESS } from './dhcp-answer.ts';
import type { DhcpSettings } from './dhcp-settings.ts';

/** The port of a message: 67 for DHCP, or 4011 for PXE boot servers. */
export type DhcpPort = 'dhcp' | 'boot server';

export interface ProxyDeps {
  readonly settings: DhcpSettings;
  readonly trace: BootTrace;
  readonly now: () => Date;
}

export interface ProxyQuery {
  readonly request: DhcpMessage;
  readonly mac: Mac;
  readonly decision: BootDecision;
}

/** Gives only the boot file. On port 67 the other DHCP server handles everything but DISCOVER. */
export function proxyAnswer(
  { settings, trace, now }: ProxyDeps,
  { request, mac, decision }: ProxyQuery,
  port: DhcpPort,
): DhcpMessage | undefined {
  if (bootRequester(request).kind === 'none') return undefined;
  const type = messageType(request);
  const given = { mac, address: NO_ADDRESS, decision };
  if (type === MessageType.discover) {
    trace.record({ kind: 'dhcp discover', at: now(), mac });
    return ifBootable(answer(request, MessageType.offer, settings, given));
  }
  const asksBootServer = type === MessageType.request || type === MessageType.inform;
  if (port !== 'boot server' || !asksBootServer) return undefined;
  return ifBootable(answer(request, MessageType.ack, settings, given));
}

/** A ProxyDHCP answer without a boot file is useless and may make a client ignore other answers. */
const ifBootable = (reply: DhcpMessage): DhcpMessage | undefined =>
  reply.options.has(Option.bootFile) ? reply : undefined;
