/**
 * Opens a session with one cipher suite: Open Session, RAKP 1 to 4 (IPMI 2.0 section 13.15).
 *
 * Every answer must carry our tag and session id; the BMC must prove that it knows the password before we prove that
 * we do. Whatever way this ends without a session, the BMC is told to forget it.
 */
import { randomBytes, randomInt } from 'node:crypto';
import {
  CIPHER_SUITES,
  type CipherSuite,
  type CipherSuiteId,
} from '@ingot/shared/codec/ipmi/cipher-suite.ts';
import { closeSession } from '@ingot/shared/codec/ipmi/close-session.ts';
import type { Decoded } from '@ingot/shared/codec/ipmi/decoded.ts';
import {
  decodeOpenSessionResponse,
  encodeOpenSessionRequest,
  isAccepted,
} from '@ingot/shared/codec/ipmi/open-session.ts';
import { PRIVILEGE_LEVELS } from '@ingot/shared/codec/ipmi/privilege-level.ts';
import { encodeRakp1, NAME_ONLY_LOOKUP } from '@ingot/shared/codec/ipmi/rakp-1.ts';
import { decodeRakp2, isRakp2Accepted } from '@ingot/shared/codec/ipmi/rakp-2.ts';
import { encodeRakp3 } from '@ingot/shared/codec/ipmi/rakp-3.ts';
import { decodeRakp4 } from '@ingot/shared/codec/ipmi/rakp-4.ts';
import { decodeRmcp, encodeRmcp } from '@ingot/shared/codec/ipmi/rmcp.ts';
import { RmcpStatus, rmcpStatusText } from '@ingot/shared/codec/ipmi/rmcp-status.ts';
import {
  type Handshake,
  rakp2AuthCode,
  rakp3AuthCode,
  rakp4CheckValue,
  sameCode,
  sessionKeys,
} from '@ingot/shared/codec/ipmi/session-keys.ts';
import {
  decodeSessionPacket,
  encodeSessionPacket,
  isRmcpPlus,
  PayloadType,
} from '@ingot/shared/codec/ipmi/session-v20.ts';
import type { IpmiAddress } from './address.ts';
import type { BmcFailure } from './bmc-error.ts';
import type { Budget } from './budget.ts';
import type { Patience } from './patience.ts';
import { Session } from './session.ts';
import type { UdpPeer } from './udp-peer.ts';

export type Opening =
  | { readonly kind: 'open'; readonly session: Session }
  /** `step` is what was not answered. */
  | { readonly kind: 'silent'; readonly step: string; readonly closed: boolean }
  /** May go better later. */
  | { readonly kind: 'again'; readonly failure: BmcFailure; readonly detail: string }
  /** Another cipher suite may do. */
  | { readonly kind: 'suite refused'; readonly detail: string }
  | { readonly kind: 'failed'; readonly failure: BmcFailure; readonly detail: string };

/** Silent tries of one step before the handshake is begun anew: a BMC may have dropped its half of it. */
const STEP_TRIES = 4;
const MAX_SESSION_ID = 2 ** 32;
/** Open Session asks for the highest level the suite allows, as all consoles do; RAKP 1 names the one we want. */
const HIGHEST = 0;

const SUITE_REFUSALS: readonly number[] = [
  RmcpStatus.invalidAuthenticationAlgorithm,
  RmcpStatus.invalidIntegrityAlgorithm,
  RmcpStatus.invalidConfidentialityAlgorithm,
  RmcpStatus.noMatchingCipherSuite,
];

/** Statuses of RAKP 2 and 4 that no second attempt changes. */
const FINAL: Readonly<Record<number, BmcFailure>> = {
  [RmcpStatus.unauthorizedName]: 'unknown user',
  [RmcpStatus.invalidRole]: 'privilege refused',
  [RmcpStatus.unauthorizedRole]: 'privilege refused',
};

export interface HandshakeContext {
  readonly peer: UdpPeer;
  readonly address: IpmiAddress;
  readonly patience: Patience;
  /** Takes the BMC's id of a session that may be open over there although we do not have it. */
  readonly onAbandoned: (bmcSessionId: number) => void;
}

export async function openSession(
  context: HandshakeContext,
  suiteId: CipherSuiteId,
  budget: Budget,
): Promise<Opening> {
  const { peer, address, patience } = context;
  const suite: CipherSuite = CIPHER_SUITES[suiteId];
  const tag = randomInt(256);
  const consoleSessionId = randomInt(1, MAX_SESSION_ID);
  const privilege = PRIVILEGE_LEVELS[address.privilege];
  const isOurs = (answer: { tag: number; consoleSessionId: number }) =>
    answer.tag === tag && answer.consoleSessionId === consoleSessionId;

  /** One question and answer of the handshake; `isOurs` keeps answers to other handshakes out. */
  const ask = <T>(
    type: number,
    answerType: number,
    message: Buffer,
    decode: (b: Buffer) => Decoded<T>,
    own: (t: T) => boolean,
  ) =>
    patience.ask(
      peer,
      {
        datagram: () => plain(type, message),
        accept: (datagram) => {
          const answer = plainPayload(datagram, answerType);
          const decoded = answer === undefined ? undefined : decode(answer);
          return decoded?.ok && own(decoded.value) ? decoded.value : undefined;
        },
        maxTries: STEP_TRIES,
      },
      budget,
    );

  const { authentication, integrity, confidentiality } = suite;
  const algorithms = { authentication, integrity, confidentiality };
  const opened = await ask(
    PayloadType.openSessionRequest,
    PayloadType.openSessionResponse,
    encodeOpenSessionRequest({ tag, maxPrivilege: HIGHEST, consoleSessionId, algorithms }),
    decodeOpenSessionResponse,
    // A refusal may come without our id.
    (answer) => answer.tag === tag && (!isAccepted(answer) || answer.consoleSessionId === consoleSessionId),
  );
  if (opened.kind === 'silence') return { kind: 'silent', step: 'Open Session', closed: opened.closed };
  if (!isAccepted(opened.value)) return openingRefused(opened.value.status);
  const { bmcSessionId, algorithms: granted } = opened.value;
  if (
    bmcSessionId === 0 ||
    Object.entries(algorithms).some(([k, v]) => granted[k as keyof typeof granted] !== v)
  ) {
    return {
      kind: 'suite refused',
      detail: 'the BMC answered Open Session with other algorithms than asked for',
    };
  }

  let forget = () => {
    const status = RmcpStatus.invalidIntegrityCheck;
    return plain(PayloadType.rakp3, encodeRakp3({ tag, status, bmcSessionId, authCode: Buffer.alloc(0) }));
  };
  let mayBeOpen = false;
  let isOurOwn = false;
  try {
    const consoleRandom = randomBytes(16);
    const role = NAME_ONLY_LOOKUP | privilege;
    const username = Buffer.from(address.username, 'utf8');
    const rakp2 = await ask(
      PayloadType.rakp1,
      PayloadType.rakp2,
      encodeRakp1({ tag, bmcSessionId, consoleRandom, role, username }),
      decodeRakp2,
      (answer) => answer.tag === tag && (!isRakp2Accepted(answer) || isOurs(answer)),
    );
    if (rakp2.kind === 'silence') return { kind: 'silent', step: 'RAKP 1', closed: rakp2.closed };
    if (!isRakp2Accepted(rakp2.value)) return rakpRefused('RAKP 2', rakp2.value.status);
    const { bmcRandom, bmcGuid, authCode } = rakp2.value;
    const shared: Handshake = {
      suite,
      consoleSessionId,
      bmcSessionId,
      consoleRandom,
      bmcRandom,
      bmcGuid,
      role,
      username,
    };
    const password = address.password.reveal();
    if (!sameCode(rakp2AuthCode(shared, password), authCode)) {
      return {
        kind: 'failed',
        failure: 'wrong password',
        detail: "RAKP 2: the BMC's authentication code was not made with the configured password",
      };
    }

    const keys = sessionKeys(shared, password, address.kg?.reveal());
    const session = new Session({ console: consoleSessionId, bmc: bmcSessionId }, keys);
    // From here on the BMC may have opened the session although its answer got lost.
    const rakp3 = encodeRakp3({
      tag,
      status: RmcpStatus.ok,
      bmcSessionId,
      authCode: rakp3AuthCode(shared, password),
    });
    forget = () => goodbye(session);
    mayBeOpen = true;
    const rakp4 = await ask(PayloadType.rakp3, PayloadType.rakp4, rakp3, decodeRakp4, isOurs);
    if (rakp4.kind === 'silence') return { kind: 'silent', step: 'RAKP 3', closed: rakp4.closed };
    if (rakp4.value.status !== RmcpStatus.ok) return rakpRefused('RAKP 4', rakp4.value.status);
    if (!sameCode(rakp4CheckValue(shared, keys), rakp4.value.checkValue)) {
      const keyless = sessionKeys(shared, password, undefined);
      const hasNoKey = sameCode(rakp4CheckValue(shared, keyless), rakp4.value.checkValue);
      const actual = new Session(session.ids, keyless);
      if (hasNoKey) forget = () => goodbye(actual);
      const detail = hasNoKey
        ? 'RAKP 4: this BMC has no K_g set, but one is configured'
        : "RAKP 4: the BMC's check value was not made with the configured K_g";
      return { kind: 'failed', failure: 'wrong K_g', detail };
    }
    isOurOwn = true;
    return { kind: 'open', session };
  } finally {
    if (!isOurOwn) {
      peer.send(forget());
      if (mayBeOpen) context.onAbandoned(bmcSessionId);
    }
  }
}

function openingRefused(status: number): Opening {
  const detail = `Open Session ${rmcpStatusText(status)}`;
  if (SUITE_REFUSALS.includes(status)) return { kind: 'suite refused', detail };
  if (status === RmcpStatus.insufficientResources)
    return { kind: 'again', failure: 'no session left', detail };
  const failure = FINAL[status];
  if (failure !== undefined) return { kind: 'failed', failure, detail };
  return { kind: 'again', failure: 'session refused', detail };
}

function rakpRefused(step: string, status: number): Opening {
  const detail = `${step} ${rmcpStatusText(status)}`;
  const failure = FINAL[status];
  if (failure !== undefined) return { kind: 'failed', failure, detail };
  const busy = status === RmcpStatus.insufficientResources;
  // Also "invalid integrity check" of RAKP 4: the BMC proved that it knows our password, so it has mixed up two
  // tries of RAKP 1.
  return { kind: 'again', failure: busy ? 'no session left' : 'session refused', detail };
}

const goodbye = (session: Session): Buffer =>
  session.question(closeSession, { sessionId: session.ids.bmc }).datagram();

const unsigned = (): never => {
  throw new Error('packets outside a session are not signed');
};

function plain(payloadType: number, payload: Buffer): Buffer {
  const packet = { payloadType, encrypted: false, authenticated: false, sessionId: 0, sequence: 0, payload };
  return encodeRmcp(encodeSessionPacket(packet, unsigned));
}

function plainPayload(datagram: Buffer, payloadType: number): Buffer | undefined {
  const session = decodeRmcp(datagram);
  if (!session.ok || !isRmcpPlus(session.value)) return undefined;
  const packet = decodeSessionPacket(session.value, 0);
  if (!packet.ok || packet.value.payloadType !== payloadType) return undefined;
  if (packet.value.encrypted || packet.value.authenticated || packet.value.sessionId !== 0) return undefined;
  return packet.value.payload;
}
