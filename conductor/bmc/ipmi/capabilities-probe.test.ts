import { getAuthenticationCapabilities as command } from '@ingot/shared/codec/ipmi/authentication-capabilities.ts';
import { decodeLanRequest, encodeLanResponse } from '@ingot/shared/codec/ipmi/lan-message.ts';
import { decodeRmcp, encodeRmcp } from '@ingot/shared/codec/ipmi/rmcp.ts';
import { decodeSessionless, encodeSessionless } from '@ingot/shared/codec/ipmi/session-v15.ts';
import { expect, it } from 'vitest';
import { probeCapabilities } from './capabilities-probe.ts';
import type { Deadline } from './deadline.ts';
import type { Question, Retransmission } from './retransmission.ts';
import type { UdpPeer } from './udp-peer.ts';

type Probe = Question<{ readonly rmcpPlus: boolean }>;

/** The question that the probe asks a BMC. */
async function question(): Promise<Probe> {
  let asked: Probe | undefined;
  const retransmission = {
    ask: async (_: UdpPeer, of: Probe) => {
      asked = of;
      return { kind: 'silence', closed: false };
    },
  } as unknown as Retransmission;
  await probeCapabilities({} as UdpPeer, 4, retransmission, {} as Deadline);
  return asked!;
}

/** The channel offers RMCP+ (IPMI 2.0 section 22.13: extended capabilities, bit 1). */
const CAPABILITIES = Buffer.from([0x01, 0x80, 0x14, 0x02, 0, 0, 0, 0]);

const answer = (fields: { command?: number; completionCode?: number; data?: Buffer } = {}): Buffer =>
  encodeRmcp(
    encodeSessionless(
      encodeLanResponse({
        netFn: command.netFn + 1,
        sequence: 0,
        command: command.code,
        completionCode: 0,
        data: CAPABILITIES,
        ...fields,
      }),
    ),
  );

it('asks outside a session for the capabilities at the privilege level', async () => {
  const { datagram, maxTries } = await question();
  const rmcp = decodeRmcp(datagram());
  const message = rmcp.ok ? decodeSessionless(rmcp.value) : rmcp;
  const request = message.ok ? decodeLanRequest(message.value) : message;
  expect(request).toMatchObject({ ok: true, value: { netFn: command.netFn, command: command.code } });
  const data = request.ok ? command.decodeRequest(request.value.data) : request;
  expect(data).toMatchObject({ ok: true, value: { privilege: 4 } });
  expect(maxTries).toBe(3);
});

it('takes the answer of the BMC', async () => {
  expect((await question()).accept(answer())).toMatchObject({ rmcpPlus: true });
});

it.each([
  ['an answer to another command', answer({ command: command.code + 1 })],
  ['a refusal', answer({ completionCode: 0xcc })],
  ['an answer that is too short', answer({ data: CAPABILITIES.subarray(0, 3) })],
  ['half a message', answer().subarray(0, 20)],
  ['no RMCP', Buffer.from('hello')],
])('takes no %s', async (_, datagram) => {
  expect((await question()).accept(datagram)).toBeUndefined();
});
