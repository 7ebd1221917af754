/**
 * Recorded conversations between ipmitool and other BMCs. Our decoders must understand every datagram, and our
 * encoders must produce the same bytes again, including keys, signatures and cipher text.
 */
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { getAuthenticationCapabilities } from './authentication-capabilities.ts';
import { decodeBootFlags } from './boot-flags.ts';
import { getBootOption, setBootOption } from './boot-options.ts';
import { chassisControl } from './chassis-control.ts';
import { getChassisStatus } from './chassis-status.ts';
import { CIPHER_SUITES, type CipherSuite } from './cipher-suite.ts';
import { closeSession } from './close-session.ts';
import type { Command } from './command.ts';
import type { Decoded } from './decoded.ts';
import { getDeviceId } from './device-id.ts';
import { getLanParameter } from './lan-configuration.ts';
import {
  decodeLanRequest,
  decodeLanResponse,
  encodeLanRequest,
  encodeLanResponse,
  type LanRequest,
  type LanResponse,
} from './lan-message.ts';
import {
  decodeOpenSessionRequest,
  decodeOpenSessionResponse,
  encodeOpenSessionRequest,
  encodeOpenSessionResponse,
  isAccepted,
  type OpenSessionAccepted,
} from './open-session.ts';
import { IV_BYTES } from './payload-encryption.ts';
import { decodeRakp1, encodeRakp1, type Rakp1 } from './rakp-1.ts';
import { decodeRakp2, encodeRakp2, isRakp2Accepted } from './rakp-2.ts';
import { decodeRakp3, encodeRakp3 } from './rakp-3.ts';
import { decodeRakp4, encodeRakp4 } from './rakp-4.ts';
import { decodeRmcp, encodeRmcp } from './rmcp.ts';
import { advance, EMPTY_WINDOW } from './sequence-window.ts';
import {
  type Handshake,
  rakp2AuthCode,
  rakp3AuthCode,
  rakp4CheckValue,
  type SessionKeys,
  sessionKeys,
} from './session-keys.ts';
import { setSessionPrivilege } from './session-privilege.ts';
import { seal, unseal } from './session-seal.ts';
import { decodeSessionless, encodeSessionless } from './session-v15.ts';
import { decodeSessionPacket, encodeSessionPacket, isRmcpPlus, PayloadType } from './session-v20.ts';

interface Fixture {
  readonly password: string;
  readonly dialogues: readonly { readonly name: string; readonly datagrams: readonly string[] }[];
}

const fixture = JSON.parse(
  readFileSync(new URL('fixtures/dialogues.json', import.meta.url), 'utf8'),
) as Fixture;
const PASSWORD = Buffer.from(fixture.password);

const COMMANDS: readonly Command<unknown, unknown>[] = [
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

interface Seen {
  readonly requests: LanRequest[];
  readonly responses: LanResponse[];
  /** Statuses of Open Session, RAKP 2 and RAKP 4. */
  readonly statuses: number[];
  handshake?: Handshake;
  keys?: SessionKeys;
}

function value<T>(decoded: Decoded<T>): T {
  if (!decoded.ok) throw new Error(decoded.reason);
  return decoded.value;
}

/** Follows a conversation and checks each datagram. */
function follow(datagrams: readonly string[]): Seen {
  const seen: Seen = { requests: [], responses: [], statuses: [] };
  const windows = { console: EMPTY_WINDOW, bmc: EMPTY_WINDOW };
  let opened: OpenSessionAccepted | undefined;
  let rakp1: Rakp1 | undefined;

  const message = (from: string, bytes: Buffer) => {
    if (from === 'console') {
      const request = value(decodeLanRequest(bytes));
      expect(encodeLanRequest(request)).toEqual(bytes);
      seen.requests.push(request);
    } else {
      const response = value(decodeLanResponse(bytes));
      expect(encodeLanResponse(response)).toEqual(bytes);
      seen.responses.push(response);
    }
  };

  const steps: Record<number, (payload: Buffer) => void> = {
    [PayloadType.openSessionRequest]: (payload) => {
      expect(encodeOpenSessionRequest(value(decodeOpenSessionRequest(payload)))).toEqual(payload);
    },
    [PayloadType.openSessionResponse]: (payload) => {
      const response = value(decodeOpenSessionResponse(payload));
      seen.statuses.push(response.status);
      if (!isAccepted(response)) return;
      expect(encodeOpenSessionResponse(response)).toEqual(payload);
      opened = response;
    },
    [PayloadType.rakp1]: (payload) => {
      rakp1 = value(decodeRakp1(payload));
      expect(encodeRakp1(rakp1)).toEqual(payload);
    },
    [PayloadType.rakp2]: (payload) => {
      const rakp2 = value(decodeRakp2(payload));
      seen.statuses.push(rakp2.status);
      if (!isRakp2Accepted(rakp2)) return;
      expect(encodeRakp2(rakp2)).toEqual(payload);
      const suite: CipherSuite = Object.values(CIPHER_SUITES).find(
        (s) => s.authentication === opened!.algorithms.authentication,
      )!;
      const { consoleSessionId, bmcSessionId } = opened!;
      const { bmcRandom, bmcGuid } = rakp2;
      seen.handshake = { ...rakp1!, suite, consoleSessionId, bmcSessionId, bmcRandom, bmcGuid };
      expect(rakp2AuthCode(seen.handshake, PASSWORD)).toEqual(rakp2.authCode);
    },
    [PayloadType.rakp3]: (payload) => {
      const rakp3 = value(decodeRakp3(payload));
      expect(encodeRakp3(rakp3)).toEqual(payload);
      expect(rakp3AuthCode(seen.handshake!, PASSWORD)).toEqual(rakp3.authCode);
    },
    [PayloadType.rakp4]: (payload) => {
      const rakp4 = value(decodeRakp4(payload));
      seen.statuses.push(rakp4.status);
      expect(encodeRakp4(rakp4)).toEqual(payload);
      seen.keys = sessionKeys(seen.handshake!, PASSWORD, undefined);
      expect(rakp4CheckValue(seen.handshake!, seen.keys)).toEqual(rakp4.checkValue);
    },
  };

  for (const line of datagrams) {
    const [from, hex] = line.split(' ') as ['console' | 'bmc', string];
    const datagram = Buffer.from(hex, 'hex');
    const session = value(decodeRmcp(datagram));
    if (!isRmcpPlus(session)) {
      const sessionless = value(decodeSessionless(session));
      expect(encodeRmcp(encodeSessionless(sessionless))).toEqual(datagram);
      message(from, sessionless);
      continue;
    }
    const packet = value(decodeSessionPacket(session, seen.handshake?.suite.authCodeBytes ?? 0));
    if (!packet.authenticated) {
      expect(encodeRmcp(encodeSessionPacket(packet, () => Buffer.alloc(0)))).toEqual(datagram);
      steps[packet.payloadType]!(packet.payload);
      continue;
    }
    const { consoleSessionId, bmcSessionId } = seen.handshake!;
    const receiver = from === 'console' ? bmcSessionId : consoleSessionId;
    const sealed = value(unseal(seen.keys!, receiver, session));
    const window = advance(windows[from], sealed.sequence);
    expect(window).toBeDefined();
    windows[from] = window!;
    const iv = packet.payload.subarray(0, IV_BYTES);
    expect(encodeRmcp(seal(seen.keys!, sealed, iv))).toEqual(datagram);
    message(from, sealed.message);
  }
  return seen;
}

const named = (name: string): Seen => follow(fixture.dialogues.find((d) => d.name === name)!.datagrams);

/** Data of the answers to one command. */
const answersTo = <Response>(seen: Seen, command: Command<unknown, Response>): Response[] =>
  seen.responses
    .filter((r) => r.netFn === command.netFn + 1 && r.command === command.code && r.completionCode === 0)
    .map((r) => value(command.decodeResponse(r.data)));

describe('conversations of ipmitool with other BMCs', () => {
  it.each(fixture.dialogues)(
    '$name: every datagram is decoded and encoded to the same bytes',
    ({ datagrams }) => {
      const seen = follow(datagrams);
      expect(seen.requests.length).toBeGreaterThan(0);
      for (const { netFn, command, data } of seen.requests) {
        const known = COMMANDS.find((c) => c.netFn === netFn && c.code === command);
        if (known !== undefined) value(known.decodeRequest(data));
      }
    },
  );

  it('shows the machine being switched on', () => {
    const seen = named('ipmi_sim-suite3-power-on');
    expect(seen.statuses).toEqual([0, 0, 0]);
    const sent = seen.requests.find((r) => r.netFn === 0 && r.command === chassisControl.code)!;
    expect(chassisControl.decodeRequest(sent.data)).toEqual({ ok: true, value: { action: 'on' } });
  });

  it('shows the power state', () => {
    const [status] = answersTo(named('ipmi_sim-suite3-power-status'), getChassisStatus);
    expect(status).toMatchObject({ powerOn: true, powerFault: false, restorePolicy: 'stay off' });
  });

  it('shows the request for a network boot with UEFI', () => {
    const seen = named('ipmi_sim-suite3-bootdev-pxe-efi');
    const settings = seen.requests
      .filter((r) => r.netFn === 0 && r.command === setBootOption.code)
      .map((r) => value(setBootOption.decodeRequest(r.data)));
    const flags = settings.find((s) => s.parameter === 5)!;
    expect(decodeBootFlags(flags.data)).toEqual({
      ok: true,
      value: { valid: true, persistent: false, uefi: true, selector: 1 },
    });
  });

  it('shows the boot flags', () => {
    const options = answersTo(named('ipmi_sim-suite3-bootparam-get'), getBootOption);
    expect(value(decodeBootFlags(options.at(-1)!.data))).toMatchObject({ selector: 1 });
  });

  it('shows the device id of the BMC', () => {
    expect(answersTo(named('ipmi_sim-suite3-mc-info'), getDeviceId).at(-1)).toMatchObject({
      firmwareVersion: '9.08',
      ipmiVersion: '2.0',
      manufacturerId: 4753,
      productId: 0x0f02,
    });
  });

  it('shows the capabilities of the BMC', () => {
    expect(answersTo(named('ipmi_sim-suite3-mc-info'), getAuthenticationCapabilities)[0]).toMatchObject({
      rmcpPlus: true,
      kgSet: false,
    });
  });

  it('shows an unknown user and a refused cipher suite', () => {
    expect(named('ipmi_sim-unknown-user').statuses).toContain(0x0d);
    expect(named('ipmi_sim-suite17-refused').statuses).toContain(0x04);
  });

  it('ends every session that it opened', () => {
    for (const { datagrams } of fixture.dialogues) {
      const seen = follow(datagrams);
      if (seen.keys === undefined) continue;
      const last = seen.requests.at(-1)!;
      expect(value(closeSession.decodeRequest(last.data)).sessionId).toBe(seen.handshake!.bmcSessionId);
    }
  });
});
