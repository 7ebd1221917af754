/**
 * Opens a session with one cipher suite: Open Session, RAKP 1 to 4 (IPMI 2.0 section 13.15).
 *
 * Every answer must carry our tag and session id. The BMC must prove that it knows the password before we do. If the
 * handshake fails, the BMC is told to drop its half-open session.
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
import type { Deadline } from './deadline.ts';
import type { Retransmission } from './retransmission.ts';
import { Session } from './session.ts';
import type { Outcome, UdpPeer } from './udp-peer.ts';

export type Opening =
  | { readonly kind: 'open'; readonly session: Session }
  /** `step` is the step without an answer. */
  | { readonly kind: 'silent'; readonly step: string; readonly closed: boolean }
  /** A temporary failure: try again later. */
  | { readonly kind: 'again'; readonly failure: BmcFailure; readonly detail: string }
  /** The BMC may accept another cipher suite. */
  | { readonly kind: 'suite refused'; readonly detail: string }
  | { readonly kind: 'failed'; readonly failure: BmcFailure; readonly detail: string };

/**
 * Unanswered tries of one step before the handshake starts again, because the BMC may have dropped the half-open
 * session.
 */
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

/** Statuses of RAKP 2 and 4 that stay the same at a second attempt. */
const FINAL: Readonly<Record<number, BmcFailure>> = {
  [RmcpStatus.unauthorizedName]: 'unknown user',
  [RmcpStatus.invalidRole]: 'privilege refused',
  [RmcpStatus.unauthorizedRole]: 'privilege refused',
};

export interface HandshakeContext {
  readonly peer: UdpPeer;
  readonly address: IpmiAddress;
  readonly retransmission: Retransmission;
  /** Called with the BMC's id of a session that may be open on the BMC although the handshake failed. */
  readonly onAbandoned: (bmcSessionId: number) => void;
}

/** One attempt to open a session with one cipher suite. */
interface Attempt extends HandshakeContext {
  readonly suite: CipherSuite;
  readonly deadline: Deadline;
  readonly tag: number;
  readonly consoleSessionId: number;
}

export async function openSession(
  context: HandshakeContext,
  suiteId: CipherSuiteId,
  deadline: Deadline,
): Promise<Opening> {
  const attempt: Attempt = {
    ...context,
    suite: CIPHER_SUITES[suiteId],
    deadline,
    tag: randomInt(256),
    consoleSessionId: randomInt(1, MAX_SESSION_ID),
  };
  const requested = await requestSession(attempt);
  if (typeof requested !== 'number') return requested;
  const checked = await checkBmc(attempt, requested);
  return 'kind' in checked ? checked : proveOurselves(attempt, checked);
}

/** Open Session. Returns the BMC's session id. */
async function requestSession(attempt: Attempt): Promise<number | Opening> {
  const { tag, consoleSessionId, suite } = attempt;
  const { authentication, integrity, confidentiality } = suite;
  const algorithms = { authentication, integrity, confidentiality };
  const opened = await ask(attempt, {
    type: PayloadType.openSessionRequest,
    answerType: PayloadType.openSessionResponse,
    message: encodeOpenSessionRequest({ tag, maxPrivilege: HIGHEST, consoleSessionId, algorithms }),
    decode: decodeOpenSessionResponse,
    isRefusal: (answer) => !isAccepted(answer),
  });
  if (opened.kind === 'silence') return { kind: 'silent', step: 'Open Session', closed: opened.closed };
  if (!isAccepted(opened.value)) return openingRefused(opened.value.status);
  const { bmcSessionId, algorithms: granted } = opened.value;
  const isGranted = Object.entries(algorithms).every(([k, v]) => granted[k as keyof typeof granted] === v);
  if (bmcSessionId !== 0 && isGranted) return bmcSessionId;
  return {
    kind: 'suite refused',
    detail: 'the BMC answered Open Session with other algorithms than asked for',
  };
}

/** RAKP 1 and 2: the BMC proves that it knows the password. Otherwise it is told to drop the session. */
async function checkBmc(attempt: Attempt, bmcSessionId: number): Promise<Handshake | Opening> {
  const { peer, address, tag, suite, consoleSessionId } = attempt;
  let isTrusted = false;
  try {
    const consoleRandom = randomBytes(16);
    const role = NAME_ONLY_LOOKUP | PRIVILEGE_LEVELS[address.privilege];
    const username = Buffer.from(address.username, 'utf8');
    const rakp2 = await ask(attempt, {
      type: PayloadType.rakp1,
      answerType: PayloadType.rakp2,
      message: encodeRakp1({ tag, bmcSessionId, consoleRandom, role, username }),
      decode: decodeRakp2,
      isRefusal: (answer) => !isRakp2Accepted(answer),
    });
    if (rakp2.kind === 'silence') return { kind: 'silent', step: 'RAKP 1', closed: rakp2.closed };
    if (!isRakp2Accepted(rakp2.value)) return rakpRefused('RAKP 2', rakp2.value.status);
    const { bmcRandom, bmcGuid, authCode } = rakp2.value;
    const ids = { consoleSessionId, bmcSessionId };
    const handshake: Handshake = { suite, ...ids, consoleRandom, bmcRandom, bmcGuid, role, username };
    isTrusted = sameCode(rakp2AuthCode(handshake, address.password.reveal()), authCode);
    if (isTrusted) return handshake;
    return {
      kind: 'failed',
      failure: 'wrong password',
      detail: "RAKP 2: the BMC's authentication code was not made with the configured password",
    };
  } finally {
    const status = RmcpStatus.invalidIntegrityCheck;
    const refusal = encodeRakp3({ tag, status, bmcSessionId, authCode: Buffer.alloc(0) });
    if (!isTrusted) peer.send(plain(PayloadType.rakp3, refusal));
  }
}

/**
 * RAKP 3 and 4: the console proves that it knows the password. The BMC may open the session although its answer is
 * lost, so that every failure closes the session and reports it as abandoned.
 */
async function proveOurselves(attempt: Attempt, handshake: Handshake): Promise<Opening> {
  const { peer, address, tag } = attempt;
  const { consoleSessionId, bmcSessionId } = handshake;
  const password = address.password.reveal();
  const keys = sessionKeys(handshake, password, address.kg?.reveal());
  const session = new Session({ console: consoleSessionId, bmc: bmcSessionId }, keys);
  /** The session to close in the end; undefined once it is usable. */
  let unwanted: Session | undefined = session;
  try {
    const authCode = rakp3AuthCode(handshake, password);
    const rakp4 = await ask(attempt, {
      type: PayloadType.rakp3,
      answerType: PayloadType.rakp4,
      message: encodeRakp3({ tag, status: RmcpStatus.ok, bmcSessionId, authCode }),
      decode: decodeRakp4,
      isRefusal: () => false,
    });
    if (rakp4.kind === 'silence') return { kind: 'silent', step: 'RAKP 3', closed: rakp4.closed };
    const { status, checkValue } = rakp4.value;
    if (status !== RmcpStatus.ok) return rakpRefused('RAKP 4', status);
    if (sameCode(rakp4CheckValue(handshake, keys), checkValue)) {
      unwanted = undefined;
      return { kind: 'open', session };
    }
    const withoutKg = sessionKeys(handshake, password, undefined);
    const hasNoKg = sameCode(rakp4CheckValue(handshake, withoutKg), checkValue);
    if (hasNoKg) unwanted = new Session(session.ids, withoutKg);
    const detail = hasNoKg
      ? 'RAKP 4: this BMC has no K_g set, but one is configured'
      : "RAKP 4: the BMC's check value was not made with the configured K_g";
    return { kind: 'failed', failure: 'wrong K_g', detail };
  } finally {
    if (unwanted !== undefined) {
      peer.send(closing(unwanted));
      attempt.onAbandoned(bmcSessionId);
    }
  }
}

interface Step<T> {
  readonly type: number;
  readonly answerType: number;
  readonly message: Buffer;
  readonly decode: (payload: Buffer) => Decoded<T>;
  /** A refusal may lack the console's session id. */
  readonly isRefusal: (answer: T) => boolean;
}

/** Sends one message of the handshake and waits for its answer. Answers to other handshakes are ignored. */
function ask<T extends { readonly tag: number; readonly consoleSessionId: number }>(
  { retransmission, peer, deadline, tag, consoleSessionId }: Attempt,
  { type, answerType, message, decode, isRefusal }: Step<T>,
): Promise<Outcome<T>> {
  const isOwn = (answer: T): boolean =>
    answer.tag === tag && (isRefusal(answer) || answer.consoleSessionId === consoleSessionId);
  const question = {
    datagram: () => plain(type, message),
    accept: (datagram: Buffer) => {
      const payload = plainPayload(datagram, answerType);
      const decoded = payload === undefined ? undefined : decode(payload);
      return decoded?.ok && isOwn(decoded.value) ? decoded.value : undefined;
    },
    maxTries: STEP_TRIES,
  };
  return retransmission.ask(peer, question, deadline);
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
  // Also for "invalid integrity check" in RAKP 4: RAKP 2 proved that the BMC knows the password, so the BMC confused
  // two tries of RAKP 1.
  return { kind: 'again', failure: busy ? 'no session left' : 'session refused', detail };
}

const closing = (session: Session): Buffer =>
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
