/** For any input, decoders return a record or a reason. The seed of a failing run is printed. */
import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { fc } from '../../../test/random-cases.ts';
import { getAuthenticationCapabilities } from './authentication-capabilities.ts';
import { decodeBootFlags } from './boot-flags.ts';
import { getBootOption, setBootOption } from './boot-options.ts';
import { chassisControl } from './chassis-control.ts';
import { getChassisStatus } from './chassis-status.ts';
import { CIPHER_SUITES } from './cipher-suite.ts';
import { closeSession } from './close-session.ts';
import type { Decoded } from './decoded.ts';
import { getDeviceId } from './device-id.ts';
import {
  decodeAddressSource,
  decodeIpAddress,
  decodeMacAddress,
  getLanParameter,
} from './lan-configuration.ts';
import { decodeLanRequest, decodeLanResponse } from './lan-message.ts';
import { decodeOpenSessionRequest, decodeOpenSessionResponse } from './open-session.ts';
import { decryptPayload, encryptPayload, IV_BYTES } from './payload-encryption.ts';
import { decodeRakp1 } from './rakp-1.ts';
import { decodeRakp2 } from './rakp-2.ts';
import { decodeRakp3 } from './rakp-3.ts';
import { decodeRakp4 } from './rakp-4.ts';
import { decodeRmcp } from './rmcp.ts';
import type { SessionKeys } from './session-keys.ts';
import { setSessionPrivilege } from './session-privilege.ts';
import { seal, unseal } from './session-seal.ts';
import { decodeSessionless } from './session-v15.ts';
import { decodeSessionPacket } from './session-v20.ts';

const KEYS: SessionKeys = {
  suite: CIPHER_SUITES[3],
  sik: Buffer.alloc(20, 1),
  k1: Buffer.alloc(20, 2),
  k2: Buffer.alloc(20, 3),
};

const commands = [
  getAuthenticationCapabilities,
  setSessionPrivilege,
  closeSession,
  getDeviceId,
  getChassisStatus,
  chassisControl,
  setBootOption,
  getBootOption,
  getLanParameter,
];

const DECODERS: Readonly<Record<string, (bytes: Buffer) => Decoded<unknown>>> = {
  RMCP: decodeRmcp,
  'v1.5 session': decodeSessionless,
  'RMCP+ packet': (bytes) => decodeSessionPacket(bytes, 0),
  'signed RMCP+ packet': (bytes) => decodeSessionPacket(bytes, 12),
  'sealed packet': (bytes) => unseal(KEYS, 1, bytes),
  'cipher text': (bytes) => decryptPayload(KEYS.k2, bytes),
  'LAN request': decodeLanRequest,
  'LAN response': decodeLanResponse,
  'Open Session Request': decodeOpenSessionRequest,
  'Open Session Response': decodeOpenSessionResponse,
  'RAKP 1': decodeRakp1,
  'RAKP 2': decodeRakp2,
  'RAKP 3': decodeRakp3,
  'RAKP 4': decodeRakp4,
  'boot flags': decodeBootFlags,
  'IP address': decodeIpAddress,
  'address source': decodeAddressSource,
  'MAC address': decodeMacAddress,
  ...Object.fromEntries(
    commands.flatMap((command) => [
      [`${command.name} request`, command.decodeRequest],
      [`${command.name} response`, command.decodeResponse],
    ]),
  ),
};
const decoders = Object.entries(DECODERS);

const { dialogues } = JSON.parse(
  readFileSync(new URL('fixtures/dialogues.json', import.meta.url), 'utf8'),
) as { dialogues: { datagrams: string[] }[] };
const captured = dialogues.flatMap((d) => d.datagrams.map((line) => Buffer.from(line.split(' ')[1]!, 'hex')));

/** True if the decoder returned a record or a reason. */
const answers = (decoded: Decoded<unknown>) =>
  decoded.ok ? 'value' in decoded : typeof decoded.reason === 'string' && decoded.reason !== '';

describe('decoders', () => {
  it.each(decoders)('%s: random bytes', (_name, decode) => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 96 }), (bytes) => answers(decode(Buffer.from(bytes)))),
      { numRuns: 2_000 },
    );
  });

  it.each(decoders)('%s: captured datagrams cut at every length and from every start', (_name, decode) => {
    for (const datagram of captured.slice(0, 40)) {
      for (let n = 0; n <= datagram.length; n++) {
        expect(answers(decode(datagram.subarray(0, n))) && answers(decode(datagram.subarray(n)))).toBe(true);
      }
    }
  });

  it.each(decoders)('%s: captured datagrams with a few bytes changed', (_name, decode) => {
    const change = fc.tuple(fc.nat(), fc.integer({ min: 0, max: 255 }));
    const changed = fc
      .tuple(
        fc.constantFrom(...captured),
        fc.constantFrom(0, 4, 14, 16),
        fc.array(change, { minLength: 1, maxLength: 4 }),
      )
      .map(([datagram, start, changes]) => {
        const copy = Buffer.from(datagram);
        for (const [at, byte] of changes) copy[at % copy.length] = byte;
        return copy.subarray(start);
      });
    fc.assert(
      fc.property(changed, (bytes) => answers(decode(bytes))),
      { numRuns: 2_000 },
    );
  });
});

describe('an encrypted and signed packet', () => {
  const message = Buffer.from('2018c88100388e04b5', 'hex');
  const packet = seal(KEYS, { sessionId: 1, sequence: 9, message }, Buffer.alloc(IV_BYTES, 7));

  it('is decrypted with the same keys', () => {
    expect(unseal(KEYS, 1, packet)).toEqual({ ok: true, value: { sessionId: 1, sequence: 9, message } });
  });

  it('is rejected when any one bit is changed', () => {
    for (let bit = 0; bit < packet.length * 8; bit++) {
      const copy = Buffer.from(packet);
      copy[bit >> 3]! ^= 1 << (bit & 7);
      expect(unseal(KEYS, 1, copy).ok).toBe(false);
    }
  });

  it('is rejected when it is truncated, and for another session', () => {
    for (let n = 0; n < packet.length; n++) expect(unseal(KEYS, 1, packet.subarray(0, n)).ok).toBe(false);
    expect(unseal(KEYS, 2, packet)).toEqual({ ok: false, reason: 'belongs to another session' });
  });
});

describe('payload encryption', () => {
  it('returns payloads of every length', () => {
    for (let n = 0; n <= 64; n++) {
      const payload = randomBytes(n);
      const sealed = encryptPayload(KEYS.k2, randomBytes(IV_BYTES), payload);
      expect(sealed.length % 16).toBe(0);
      expect(decryptPayload(KEYS.k2, sealed)).toEqual({ ok: true, value: payload });
    }
  });
});
