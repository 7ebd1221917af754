/**
 * The RMCP+ sessions of a fake BMC: Open Session and RAKP from the BMC's side, with the client's codec in the opposite
 * direction. A test with ipmitool checks that it behaves like a real BMC.
 */
import { randomBytes, randomInt } from 'node:crypto';
import { CIPHER_SUITES, type CipherSuite, isCipherSuiteId } from '@ingot/shared/codec/ipmi/cipher-suite.ts';
import {
  decodeOpenSessionRequest,
  encodeOpenSessionResponse,
} from '@ingot/shared/codec/ipmi/open-session.ts';
import { decodeRakp1 } from '@ingot/shared/codec/ipmi/rakp-1.ts';
import { encodeRakp2 } from '@ingot/shared/codec/ipmi/rakp-2.ts';
import { decodeRakp3 } from '@ingot/shared/codec/ipmi/rakp-3.ts';
import { encodeRakp4 } from '@ingot/shared/codec/ipmi/rakp-4.ts';
import { RmcpStatus } from '@ingot/shared/codec/ipmi/rmcp-status.ts';
import { EMPTY_WINDOW, type SequenceWindow } from '@ingot/shared/codec/ipmi/sequence-window.ts';
import {
  type Handshake,
  rakp2AuthCode,
  rakp3AuthCode,
  rakp4CheckValue,
  type SessionKeys,
  sameCode,
  sessionKeys,
} from '@ingot/shared/codec/ipmi/session-keys.ts';
import { PayloadType } from '@ingot/shared/codec/ipmi/session-v20.ts';
import type { BmcFaults } from './faults.ts';

export interface FakeSession {
  readonly suite: CipherSuite;
  readonly consoleSessionId: number;
  readonly bmcSessionId: number;
  /** Known after RAKP 1. */
  handshake?: Handshake;
  /** Known after RAKP 3, when the session is open. */
  keys?: SessionKeys;
  privilege: number;
  /** Sequence number of the last packet sent. */
  sent: number;
  received: SequenceWindow;
}

export interface BmcUser {
  readonly username: string;
  readonly password: string;
  readonly kg?: Buffer | undefined;
  readonly maxPrivilege: number;
}

/** Payload type and payload of an answer. */
export type Reply = readonly [payloadType: number, payload: Buffer];

const USER_LEVEL = 2;
const PRIVILEGE_MASK = 0x0f;
const GUID = Buffer.from('11223344556677889900aabbccddeeff', 'hex');

export class FakeSessions {
  /** Including half-open sessions. */
  readonly all = new Map<number, FakeSession>();
  /** Highest number of sessions open at the same time. */
  mostOpen = 0;
  /** Sessions opened since the start. */
  opened = 0;
  readonly #user: BmcUser;
  readonly #suites: readonly number[];
  readonly #faults: BmcFaults;

  constructor(user: BmcUser, suites: readonly number[], faults: BmcFaults) {
    this.#user = user;
    this.#suites = suites;
    this.#faults = faults;
  }

  get open(): FakeSession[] {
    return [...this.all.values()].filter((session) => session.keys !== undefined);
  }

  /** The answer to a handshake packet, or undefined for none. */
  answer(payloadType: number, payload: Buffer): Reply | undefined {
    switch (payloadType) {
      case PayloadType.openSessionRequest:
        return this.#openSession(payload);
      case PayloadType.rakp1:
        return this.#rakp1(payload);
      case PayloadType.rakp3:
        return this.#rakp3(payload);
      default:
        return undefined;
    }
  }

  #openSession(payload: Buffer): Reply | undefined {
    const request = decodeOpenSessionRequest(payload);
    if (!request.ok) return undefined;
    const { tag, consoleSessionId, algorithms, maxPrivilege } = request.value;
    const refuse = (status: number): Reply => [
      PayloadType.openSessionResponse,
      encodeOpenSessionResponse({ tag, status, consoleSessionId }),
    ];
    const suite: CipherSuite | undefined = Object.values(CIPHER_SUITES).find(
      (s) => s.authentication === algorithms.authentication && s.integrity === algorithms.integrity,
    );
    if (suite !== undefined && this.#faults.ignoredSuites?.includes(suite.id)) return undefined;
    if (suite === undefined || !isCipherSuiteId(suite.id) || !this.#suites.includes(suite.id)) {
      return refuse(RmcpStatus.invalidAuthenticationAlgorithm);
    }
    if (this.open.length >= (this.#faults.maxSessions ?? Number.POSITIVE_INFINITY)) {
      return refuse(RmcpStatus.insufficientResources);
    }
    const bmcSessionId = randomInt(1, 2 ** 32);
    const privilege = USER_LEVEL;
    this.all.set(bmcSessionId, {
      suite,
      consoleSessionId,
      bmcSessionId,
      privilege,
      sent: 0,
      received: EMPTY_WINDOW,
    });
    const accepted = { tag, status: 0 as const, maxPrivilege, consoleSessionId, bmcSessionId, algorithms };
    return [PayloadType.openSessionResponse, encodeOpenSessionResponse(accepted)];
  }

  #rakp1(payload: Buffer): Reply | undefined {
    const request = decodeRakp1(payload);
    if (!request.ok) return undefined;
    const { tag, bmcSessionId, consoleRandom, role, username } = request.value;
    const session = this.all.get(bmcSessionId);
    const refuse = (status: number): Reply => {
      this.all.delete(bmcSessionId);
      const consoleSessionId = session?.consoleSessionId ?? 0;
      return [PayloadType.rakp2, encodeRakp2({ tag, status, consoleSessionId })];
    };
    if (session === undefined || session.keys !== undefined) return refuse(RmcpStatus.invalidSessionId);
    if (this.#faults.rakp1Status !== undefined) return refuse(this.#faults.rakp1Status);
    if (username.toString('utf8') !== this.#user.username) return refuse(RmcpStatus.unauthorizedName);
    if ((role & PRIVILEGE_MASK) > this.#user.maxPrivilege) return refuse(RmcpStatus.unauthorizedRole);
    const { suite, consoleSessionId } = session;
    session.handshake = {
      suite,
      consoleSessionId,
      bmcSessionId,
      consoleRandom: Buffer.from(consoleRandom),
      bmcRandom: randomBytes(16),
      bmcGuid: GUID,
      role,
      username: Buffer.from(username),
    };
    if (this.#faults.ignoresRakp1) return undefined;
    const { bmcRandom } = session.handshake;
    const authCode = rakp2AuthCode(session.handshake, Buffer.from(this.#user.password));
    const answer = { tag, status: 0 as const, consoleSessionId, bmcRandom, bmcGuid: GUID, authCode };
    return [PayloadType.rakp2, encodeRakp2(answer)];
  }

  #rakp3(payload: Buffer): Reply | undefined {
    const request = decodeRakp3(payload);
    if (!request.ok) return undefined;
    const { tag, status, bmcSessionId, authCode } = request.value;
    const session = this.all.get(bmcSessionId);
    const reply = (answerStatus: number, checkValue: Buffer = Buffer.alloc(0)): Reply => {
      const consoleSessionId = session?.consoleSessionId ?? 0;
      return [PayloadType.rakp4, encodeRakp4({ tag, status: answerStatus, consoleSessionId, checkValue })];
    };
    if (session?.handshake === undefined) return reply(RmcpStatus.invalidSessionId);
    const { handshake } = session;
    const password = Buffer.from(this.#user.password);
    if (status !== RmcpStatus.ok) {
      if (session.keys === undefined) this.all.delete(bmcSessionId);
      return undefined;
    }
    if (!sameCode(rakp3AuthCode(handshake, password), authCode)) {
      this.all.delete(bmcSessionId);
      return reply(RmcpStatus.invalidIntegrityCheck);
    }
    const keys = sessionKeys(handshake, password, this.#user.kg);
    // A repeated RAKP 3 means that our answer was lost: the session is already open.
    if (session.keys === undefined) {
      session.keys = keys;
      this.opened += 1;
      this.mostOpen = Math.max(this.mostOpen, this.open.length);
    }
    return reply(RmcpStatus.ok, rakp4CheckValue(handshake, keys));
  }
}
