import { getChassisStatus } from '@ingot/shared/codec/ipmi/chassis-status.ts';
import { CIPHER_SUITES } from '@ingot/shared/codec/ipmi/cipher-suite.ts';
import { decodeLanRequest, encodeLanResponse } from '@ingot/shared/codec/ipmi/lan-message.ts';
import { IV_BYTES } from '@ingot/shared/codec/ipmi/payload-encryption.ts';
import { decodeRmcp, encodeRmcp } from '@ingot/shared/codec/ipmi/rmcp.ts';
import { sessionKeys } from '@ingot/shared/codec/ipmi/session-keys.ts';
import { seal, unseal } from '@ingot/shared/codec/ipmi/session-seal.ts';
import { expect, it } from 'vitest';
import { Session } from './session.ts';

const CONSOLE = 0x11;
const BMC = 0x22;
const KEYS = sessionKeys(
  {
    suite: CIPHER_SUITES[17],
    consoleSessionId: CONSOLE,
    bmcSessionId: BMC,
    consoleRandom: Buffer.alloc(16, 1),
    bmcRandom: Buffer.alloc(16, 2),
    bmcGuid: Buffer.alloc(16, 3),
    role: 4,
    username: Buffer.from('admin'),
  },
  Buffer.from('password'),
  undefined,
);
const { netFn, code } = getChassisStatus;
const DATA = Buffer.from([1, 0, 0]);

const newSession = () => new Session({ console: CONSOLE, bmc: BMC }, KEYS);
const ask = (session: Session) => session.question(getChassisStatus, undefined as never);

/** What the BMC reads in a packet. */
function read(datagram: Buffer) {
  const rmcp = decodeRmcp(datagram);
  const sealed = rmcp.ok ? unseal(KEYS, BMC, rmcp.value) : rmcp;
  const request = sealed.ok ? decodeLanRequest(sealed.value.message) : sealed;
  if (!sealed.ok || !request.ok) throw new Error('the BMC cannot read this packet');
  return { packet: sealed.value.sequence, ...request.value };
}

/** An answer of the BMC to the first question of a session, but for these fields. */
function answer(
  fields: { netFn?: number; command?: number; sequence?: number } = {},
  packet = 1,
  to = CONSOLE,
) {
  const message = encodeLanResponse({
    netFn: netFn + 1,
    command: code,
    sequence: 1,
    completionCode: 0,
    data: DATA,
    ...fields,
  });
  return encodeRmcp(seal(KEYS, { sessionId: to, sequence: packet, message }, Buffer.alloc(IV_BYTES)));
}

it('each try has a packet number of its own, and all tries of a command its sequence number', () => {
  const session = newSession();
  const [first, second] = [ask(session), ask(session)];
  const packets = [first, first, second, first].map((question) => read(question.datagram()));
  expect(packets.map(({ packet, sequence }) => [packet, sequence])).toEqual([
    [1, 1],
    [2, 1],
    [3, 2],
    [4, 1],
  ]);
  expect(packets[0]).toMatchObject({ netFn, command: code });
});

it('sequence numbers of commands have six bits', () => {
  const session = newSession();
  const numbers = Array.from({ length: 65 }, () => read(ask(session).datagram()).sequence);
  expect(numbers.slice(61)).toEqual([62, 63, 0, 1]);
});

it('the number of tries is that of the caller', () => {
  expect(newSession().question(getChassisStatus, undefined as never, 3).maxTries).toBe(3);
  expect(ask(newSession())).not.toHaveProperty('maxTries');
});

it('the answer to the command is accepted', () => {
  expect(ask(newSession()).accept(answer())).toMatchObject({ completionCode: 0, data: DATA });
});

it.each([
  ['another network function', answer({ netFn: netFn + 3 })],
  ['another command', answer({ command: code + 1 })],
  ['another sequence number', answer({ sequence: 2 })],
  ['another session', answer({}, 1, CONSOLE + 1)],
  ['nothing', Buffer.alloc(0)],
  ['half an answer', answer().subarray(0, 30)],
])('%s is not', (_, datagram) => {
  const question = ask(newSession());
  expect(question.accept(datagram)).toBeUndefined();
  expect(question.accept(answer({}, 2))).toBeDefined();
});

it('a packet is accepted once', () => {
  const session = newSession();
  expect(ask(session).accept(answer())).toBeDefined();
  const second = ask(session);
  expect(second.accept(answer({ sequence: 2 }, 1))).toBeUndefined();
  expect(second.accept(answer({ sequence: 2 }, 2))).toBeDefined();
});
