/**
 * Messages of the handshake and of each command as rows: a record and its bytes. Rows marked "captured" come from
 * fixtures/dialogues.json; the others follow the tables of the specification named in the codec's files.
 */
import { describe, expect, it } from 'vitest';
import { getAuthenticationCapabilities } from './authentication-capabilities.ts';
import { bootFlagDevice, decodeBootFlags, encodeBootFlags } from './boot-flags.ts';
import { getBootOption, setBootOption } from './boot-options.ts';
import { chassisControl } from './chassis-control.ts';
import { getChassisStatus } from './chassis-status.ts';
import { closeSession } from './close-session.ts';
import type { Command } from './command.ts';
import type { Decoded } from './decoded.ts';
import { getDeviceId } from './device-id.ts';
import {
  decodeAddressSource,
  decodeIpAddress,
  decodeMacAddress,
  getLanParameter,
} from './lan-configuration.ts';
import { decodeLanRequest, decodeLanResponse, encodeLanRequest, encodeLanResponse } from './lan-message.ts';
import {
  decodeOpenSessionRequest,
  decodeOpenSessionResponse,
  encodeOpenSessionRequest,
  encodeOpenSessionResponse,
} from './open-session.ts';
import { decodeRakp1, encodeRakp1 } from './rakp-1.ts';
import { decodeRakp2, encodeRakp2 } from './rakp-2.ts';
import { decodeRakp3, encodeRakp3 } from './rakp-3.ts';
import { decodeRakp4, encodeRakp4 } from './rakp-4.ts';
import { setSessionPrivilege } from './session-privilege.ts';

interface Row {
  readonly name: string;
  readonly record: unknown;
  readonly hex: string;
  readonly encode: (record: never) => Buffer;
  readonly decode: (bytes: Buffer) => Decoded<unknown>;
}

const bytes = (hex: string): Buffer => Buffer.from(hex, 'hex');

const request = <T>(command: Command<T, unknown>, name: string, record: NoInfer<T>, hex: string): Row => ({
  name: `${command.name} request, ${name}`,
  record,
  hex,
  encode: command.encodeRequest,
  decode: command.decodeRequest,
});
const response = <T>(command: Command<unknown, T>, name: string, record: NoInfer<T>, hex: string): Row => ({
  name: `${command.name} response, ${name}`,
  record,
  hex,
  encode: command.encodeResponse,
  decode: command.decodeResponse,
});

const SUITE_3 = { authentication: 1, integrity: 1, confidentiality: 1 };
const SUITE_17 = { authentication: 3, integrity: 4, confidentiality: 1 };

const ROWS: readonly Row[] = [
  {
    name: 'Open Session Request, suite 17, captured',
    record: { tag: 0, maxPrivilege: 0, consoleSessionId: 0xa0a2a3a4, algorithms: SUITE_17 },
    hex: '00000000a4a3a2a0000000080300000001000008040000000200000801000000',
    encode: encodeOpenSessionRequest,
    decode: decodeOpenSessionRequest,
  },
  {
    name: 'Open Session Response, suite 3, captured',
    record: {
      tag: 0,
      status: 0,
      maxPrivilege: 0,
      consoleSessionId: 0xa0a2a3a4,
      bmcSessionId: 2,
      algorithms: SUITE_3,
    },
    hex: '00000000a4a3a2a002000000000000080100000001000008010000000200000801000000',
    encode: encodeOpenSessionResponse,
    decode: decodeOpenSessionResponse,
  },
  {
    name: 'Open Session Response, refused',
    record: { tag: 7, status: 1, consoleSessionId: 0xa0a2a3a4 },
    hex: '07010000a4a3a2a0',
    encode: encodeOpenSessionResponse,
    decode: decodeOpenSessionResponse,
  },
  {
    name: 'RAKP 1, captured',
    record: {
      tag: 0,
      bmcSessionId: 2,
      consoleRandom: bytes('4c41f16a0ccdcab469d711312fb8f93e'),
      role: 0x14,
      username: Buffer.from('admin'),
    },
    hex: '00000000020000004c41f16a0ccdcab469d711312fb8f93e1400000561646d696e',
    encode: encodeRakp1,
    decode: decodeRakp1,
  },
  {
    name: 'RAKP 2, captured',
    record: {
      tag: 0,
      status: 0,
      consoleSessionId: 0xa0a2a3a4,
      bmcRandom: bytes('eebd8fae72abb192d571f9b706a1b18e'),
      bmcGuid: bytes('00112233445566778899aabbccddeeff'),
      authCode: bytes('4fc22f75b122516c9a5a6012cbaf4cc3ef85a812'),
    },
    hex: '00000000a4a3a2a0eebd8fae72abb192d571f9b706a1b18e00112233445566778899aabbccddeeff4fc22f75b122516c9a5a6012cbaf4cc3ef85a812',
    encode: encodeRakp2,
    decode: decodeRakp2,
  },
  {
    name: 'RAKP 2, unknown user',
    record: { tag: 5, status: 0x0d, consoleSessionId: 0x01020304 },
    hex: '050d000004030201',
    encode: encodeRakp2,
    decode: decodeRakp2,
  },
  {
    name: 'RAKP 3, captured',
    record: {
      tag: 0,
      status: 0,
      bmcSessionId: 2,
      authCode: bytes('a11812ad50318d0505c39d0dcc43a9144aeddeea'),
    },
    hex: '0000000002000000a11812ad50318d0505c39d0dcc43a9144aeddeea',
    encode: encodeRakp3,
    decode: decodeRakp3,
  },
  {
    name: 'RAKP 4, captured',
    record: {
      tag: 0,
      status: 0,
      consoleSessionId: 0xa0a2a3a4,
      checkValue: bytes('5d2f8d46d00d3194c61b0196'),
    },
    hex: '00000000a4a3a2a05d2f8d46d00d3194c61b0196',
    encode: encodeRakp4,
    decode: decodeRakp4,
  },
  {
    name: 'LAN request, captured',
    record: { netFn: 6, sequence: 0, command: 0x38, data: bytes('8e04') },
    hex: '2018c88100388e04b5',
    encode: encodeLanRequest,
    decode: decodeLanRequest,
  },
  {
    name: 'LAN response, captured',
    record: { netFn: 7, sequence: 0, command: 0x38, completionCode: 0, data: bytes('0180040300000000') },
    hex: '811c6320003800018004030000000020',
    encode: encodeLanResponse,
    decode: decodeLanResponse,
  },
  request(getAuthenticationCapabilities, 'captured', { channel: 0x0e, privilege: 4 }, '8e04'),
  response(
    getAuthenticationCapabilities,
    'RMCP+ only, K_g set',
    {
      channel: 1,
      rmcpPlus: true,
      v15: false,
      kgSet: true,
      namedUsers: true,
      nullUsernames: false,
      anonymousLogin: false,
    },
    '0180240200000000',
  ),
  request(setSessionPrivilege, 'ADMINISTRATOR', { level: 4 }, '04'),
  response(setSessionPrivilege, 'OPERATOR', { level: 3 }, '03'),
  request(closeSession, 'by id', { sessionId: 0x01020304 }, '04030201'),
  request(chassisControl, 'off', { action: 'off' }, '00'),
  request(chassisControl, 'on', { action: 'on' }, '01'),
  request(chassisControl, 'cycle', { action: 'cycle' }, '02'),
  request(chassisControl, 'reset', { action: 'reset' }, '03'),
  request(chassisControl, 'soft off', { action: 'soft off' }, '05'),
  response(
    getChassisStatus,
    'on, power control fault',
    {
      powerOn: true,
      powerOverload: false,
      powerInterlock: false,
      powerFault: false,
      powerControlFault: true,
      restorePolicy: 'last state',
      lastPowerEvent: 0x10,
      chassis: 0x40,
    },
    '311040',
  ),
  response(
    getDeviceId,
    'with SDRs, firmware 9.08, IPMI 2.0',
    {
      deviceId: 0x20,
      deviceRevision: 3,
      providesSdrs: true,
      updating: false,
      firmwareVersion: '9.08',
      ipmiVersion: '2.0',
      support: 0x9f,
      manufacturerId: 0x1291,
      productId: 0x0f02,
    },
    '20830908029f911200020f',
  ),
  request(setBootOption, 'keep flags beyond 60 s', { parameter: 3, data: bytes('08') }, '0308'),
  request(
    setBootOption,
    'PXE by UEFI, persistent',
    { parameter: 5, data: bytes('e004000000') },
    '05e004000000',
  ),
  request(getBootOption, 'boot flags', { parameter: 5 }, '050000'),
  response(
    getBootOption,
    'captured',
    { parameter: 5, invalid: false, data: bytes('0004000000') },
    '01050004000000',
  ),
  response(getBootOption, 'marked invalid', { parameter: 5, invalid: true, data: bytes('00') }, '018500'),
  {
    name: 'boot flags, disk by BIOS, next boot only',
    record: { valid: true, persistent: false, uefi: false, selector: 2 },
    hex: '8008000000',
    encode: encodeBootFlags,
    decode: decodeBootFlags,
  },
  {
    name: 'boot flags, CD by UEFI, persistent',
    record: { valid: true, persistent: true, uefi: true, selector: 5 },
    hex: 'e014000000',
    encode: encodeBootFlags,
    decode: decodeBootFlags,
  },
  request(getLanParameter, 'MAC address', { channel: 0x0e, parameter: 5 }, '0e050000'),
  response(getLanParameter, 'IP address', { revision: 0x11, data: bytes('0a000005') }, '110a000005'),
];

describe('IPMI messages', () => {
  it.each(ROWS)('$name: encodes', ({ record, hex, encode }) => {
    expect(encode(record as never).toString('hex')).toBe(hex);
  });

  it.each(ROWS)('$name: decodes', ({ record, hex, decode }) => {
    expect(decode(bytes(hex))).toEqual({ ok: true, value: record });
  });

  it('reads an IPMI 1.5 answer to Get Channel Authentication Capabilities', () => {
    const decoded = getAuthenticationCapabilities.decodeResponse(bytes('0117040000000000'));
    expect(decoded).toMatchObject({ ok: true, value: { rmcpPlus: false, v15: true, kgSet: false } });
  });

  it('refuses a reserved chassis action', () => {
    expect(chassisControl.decodeRequest(bytes('0f')).ok).toBe(false);
  });

  it('names boot devices by selector', () => {
    expect([1, 2, 5, 6, 9].map(bootFlagDevice)).toEqual(['pxe', 'disk', 'cdrom', 'bios', undefined]);
  });

  it('reads the BMC address', () => {
    expect(decodeIpAddress(bytes('0a000005'))).toEqual({ ok: true, value: '10.0.0.5' });
    expect(decodeAddressSource(bytes('02'))).toEqual({ ok: true, value: 'dhcp' });
    expect(decodeMacAddress(bytes('52540A000005'))).toEqual({ ok: true, value: '52:54:0a:00:00:05' });
  });
});
