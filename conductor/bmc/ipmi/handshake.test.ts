/** Which answers a log-in believes: the BMC's own, with strays of other log-ins before them. */
import { decodeRmcp, encodeRmcp } from '@ingot/shared/codec/ipmi/rmcp.ts';
import { RmcpStatus } from '@ingot/shared/codec/ipmi/rmcp-status.ts';
import {
  decodeSessionPacket,
  encodeSessionPacket,
  PayloadType,
} from '@ingot/shared/codec/ipmi/session-v20.ts';
import { expect, it } from 'vitest';
import { FakeSessions } from '../../../test/fakes/bmc/fake-sessions.ts';
import { BMC_USER, ipmiAddress } from '../../../test/fakes/bmc/test-ipmi.ts';
import { Deadline } from './deadline.ts';
import { openSession } from './handshake.ts';
import type { Question, Retransmission } from './retransmission.ts';
import type { UdpPeer } from './udp-peer.ts';

/** Offsets in Open Session Response, RAKP 2 and RAKP 4 (IPMI 2.0 sections 13.18, 13.21, 13.23). */
const TAG = 0;
const STATUS = 1;
const CONSOLE_SESSION_ID = 4;

const ANSWERS = [PayloadType.openSessionResponse, PayloadType.rakp2, PayloadType.rakp4];

const packet = (payloadType: number, payload: Buffer, changes: object = {}): Buffer =>
  encodeRmcp(
    encodeSessionPacket(
      { payloadType, encrypted: false, authenticated: false, sessionId: 0, sequence: 0, payload, ...changes },
      () => Buffer.alloc(0),
    ),
  );
const changed = (payload: Buffer, offset: number): Buffer => {
  const copy = Buffer.from(payload);
  copy[offset]! ^= 0x01;
  return copy;
};

/** Opens a session with a BMC whose datagrams are what `sent` makes of each of its answers. */
async function open(sent: (type: number, payload: Buffer) => Buffer[]) {
  const bmc = new FakeSessions({ ...BMC_USER, maxPrivilege: 4 }, [17], {});
  const abandoned: number[] = [];
  const receive = (datagram: Buffer) => {
    const rmcp = decodeRmcp(datagram);
    const plain = rmcp.ok ? decodeSessionPacket(rmcp.value, 0) : rmcp;
    if (!plain.ok || plain.value.sessionId !== 0) return [];
    expect(plain.value).toMatchObject({ encrypted: false, authenticated: false, sequence: 0 });
    const reply = bmc.answer(plain.value.payloadType, plain.value.payload);
    return reply === undefined ? [] : sent(...reply);
  };
  const retransmission = {
    async ask(_: UdpPeer, { datagram, accept }: Question<unknown>) {
      for (const answer of receive(datagram())) {
        const value = accept(answer);
        if (value !== undefined) return { kind: 'answer', value };
      }
      return { kind: 'silence', closed: false };
    },
  } as unknown as Retransmission;
  const opening = await openSession(
    {
      peer: { send: (datagram: Buffer) => void receive(datagram) } as unknown as UdpPeer,
      address: ipmiAddress(623),
      retransmission,
      onAbandoned: (id) => abandoned.push(id),
    },
    17,
    new Deadline('test', { now: () => new Date(), limitMs: 1_000, signals: [] }),
  );
  return { opening, bmc, abandoned };
}

it('opens a session, and abandons none', async () => {
  const { opening, bmc, abandoned } = await open((type, payload) => [packet(type, payload)]);
  expect(opening).toMatchObject({ kind: 'open' });
  expect([bmc.open.length, abandoned]).toEqual([1, []]);
});

it.each<[string, (type: number, payload: Buffer) => Buffer]>([
  ['with another tag', (type, payload) => packet(type, changed(payload, TAG))],
  ['for another console', (type, payload) => packet(type, changed(payload, CONSOLE_SESSION_ID))],
  ['to another message', (type, payload) => packet(type + 2, payload)],
  ['that is cut', (type, payload) => packet(type, payload.subarray(0, 6))],
  ['in a session', (type, payload) => packet(type, payload, { sessionId: 7 })],
  ['that claims to be encrypted', (type, payload) => packet(type, payload, { encrypted: true })],
  ['that claims to be signed', (type, payload) => packet(type, payload, { authenticated: true })],
  ['that is no IPMI', () => Buffer.from('hello')],
])('passes over an answer %s', async (_, stray) => {
  const seen: number[] = [];
  const { opening } = await open((type, payload) => {
    seen.push(type);
    return [stray(type, payload), packet(type, payload)];
  });
  expect([opening.kind, seen]).toEqual(['open', ANSWERS]);
  const alone = await open((type, payload) => [stray(type, payload)]);
  expect(alone.opening).toEqual({ kind: 'silent', step: 'Open Session', closed: false });
});

it.each([
  [PayloadType.openSessionResponse, 'Open Session'],
  [PayloadType.rakp2, 'RAKP 1'],
  [PayloadType.rakp4, 'RAKP 3'],
])('names the step that is not answered: payload %i', async (lost, step) => {
  const { opening, bmc } = await open((type, payload) => (type === lost ? [] : [packet(type, payload)]));
  expect(opening).toEqual({ kind: 'silent', step, closed: false });
  expect([...bmc.all.values()].filter(({ keys, handshake }) => handshake && !keys)).toEqual([]);
});

/** A refusal for a console that the BMC does not name. */
const anonymous = (payload: Buffer, status: number): Buffer => {
  const refusal = Buffer.from(payload.subarray(0, 8));
  refusal[STATUS] = status;
  refusal.writeUInt32LE(0, CONSOLE_SESSION_ID);
  return refusal;
};

it.each([
  [PayloadType.openSessionResponse, RmcpStatus.insufficientResources, 'again'],
  [PayloadType.rakp2, RmcpStatus.unauthorizedName, 'failed'],
  // A refusal at this point could be of anybody's session.
  [PayloadType.rakp4, RmcpStatus.insufficientResources, 'silent'],
])('a refusal without a session id in payload %i, status %i: %s', async (refusing, status, kind) => {
  const { opening } = await open((type, payload) => [
    packet(type, type === refusing ? anonymous(payload, status) : payload),
  ]);
  expect(opening.kind).toBe(kind);
});

it('abandons a session that the BMC may have opened', async () => {
  const { bmc, abandoned } = await open((type, payload) =>
    type === PayloadType.rakp4 ? [] : [packet(type, payload)],
  );
  expect(abandoned).toEqual(bmc.open.map(({ bmcSessionId }) => bmcSessionId));
  expect(abandoned).toHaveLength(1);
});
