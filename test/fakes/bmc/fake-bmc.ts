/**
 * A BMC for tests: IPMI 2.0 over UDP with cipher suites 3 and 17, one user, one machine, and configurable faults.
 */
import { randomBytes } from 'node:crypto';
import { createSocket, type RemoteInfo } from 'node:dgram';
import { once } from 'node:events';
import type { BootFlags } from '@ingot/shared/codec/ipmi/boot-flags.ts';
import type { ChassisAction } from '@ingot/shared/codec/ipmi/chassis-control.ts';
import { CIPHER_SUITE_IDS } from '@ingot/shared/codec/ipmi/cipher-suite.ts';
import { closeSession, NO_SUCH_SESSION } from '@ingot/shared/codec/ipmi/close-session.ts';
import {
  decodeLanRequest,
  encodeLanResponse,
  type LanRequest,
} from '@ingot/shared/codec/ipmi/lan-message.ts';
import { IV_BYTES } from '@ingot/shared/codec/ipmi/payload-encryption.ts';
import { decodeRmcp, encodeRmcp } from '@ingot/shared/codec/ipmi/rmcp.ts';
import { advance } from '@ingot/shared/codec/ipmi/sequence-window.ts';
import { setSessionPrivilege } from '@ingot/shared/codec/ipmi/session-privilege.ts';
import { seal, unseal } from '@ingot/shared/codec/ipmi/session-seal.ts';
import { decodeSessionless, encodeSessionless } from '@ingot/shared/codec/ipmi/session-v15.ts';
import {
  decodeSessionPacket,
  encodeSessionPacket,
  isRmcpPlus,
} from '@ingot/shared/codec/ipmi/session-v20.ts';
import {
  type CommandAnswer,
  DEVICE_ID,
  type FakeMachine,
  keyOf,
  machineCommands,
  NEEDED_PRIVILEGE,
} from './fake-machine.ts';
import { type FakeSession, FakeSessions } from './fake-sessions.ts';
import { type BmcFaults, seededRandom, spend } from './faults.ts';

export interface FakeBmcOptions {
  readonly address?: string;
  /** Default: any free port. */
  readonly port?: number;
  readonly username: string;
  readonly password: string;
  readonly kg?: Buffer;
  /** Highest privilege level of the user; default 4, ADMINISTRATOR. */
  readonly maxPrivilege?: number;
  readonly cipherSuites?: readonly number[];
  readonly faults?: BmcFaults;
  /** Seed for the random faults. */
  readonly seed?: number;
  readonly onPower?: (action: ChassisAction) => void;
  readonly onBootDevice?: (flags: BootFlags) => void;
}

export interface FakeBmc {
  readonly port: number;
  readonly machine: FakeMachine;
  /** May be changed while the BMC runs. */
  readonly faults: BmcFaults;
  readonly sessions: FakeSessions;
  /** Codes of the executed commands in order, with repetitions. */
  readonly commands: number[];
  /** Datagrams received. */
  readonly received: () => number;
  /** Drops all sessions without notice, like a BMC that restarts. */
  forgetSessions(): void;
  stop(): Promise<void>;
}

const INVALID_COMMAND = 0xc1;
const NODE_BUSY = 0xc0;
const INSUFFICIENT_PRIVILEGE = 0xd4;
const HIGHEST = 5;
const SUPERVISED = new Set([closeSession.code, setSessionPrivilege.code]);

export async function startFakeBmc(options: FakeBmcOptions): Promise<FakeBmc> {
  const faults: BmcFaults = { ...options.faults };
  const random = seededRandom(options.seed ?? 1);
  const user = { ...options, maxPrivilege: options.maxPrivilege ?? 4 };
  const sessions = new FakeSessions(user, options.cipherSuites ?? CIPHER_SUITE_IDS, faults);
  const machine: FakeMachine = {
    powerOn: false,
    bootFlags: { valid: false, persistent: false, uefi: false, selector: 0 },
    validClearing: 0,
    deviceId: DEVICE_ID,
    onPower: options.onPower,
    onBootDevice: options.onBootDevice,
  };
  const machineRuns = machineCommands(machine, faults);
  const commands: number[] = [];
  const timers = new Set<NodeJS.Timeout>();
  let received = 0;
  let isStopped = false;

  const socket = createSocket('udp4');
  socket.bind(options.port ?? 0, options.address ?? '127.0.0.1');
  await once(socket, 'listening');
  socket.on('message', (datagram, from) => {
    received += 1;
    const session = decodeRmcp(datagram);
    if (!session.ok || isLost()) return;
    const answer = isRmcpPlus(session.value)
      ? answerRmcpPlus(session.value)
      : answerSessionless(session.value);
    if (answer !== undefined) send(encodeRmcp(answer), from);
  });

  const isLost = () => random() < (faults.dropShare ?? 0);

  function send(datagram: Buffer, to: RemoteInfo): void {
    if (isLost()) return;
    const cut = spend(faults, 'truncatedAnswers') ? Math.floor(random() * datagram.length) : datagram.length;
    const put = () => {
      if (isStopped) return;
      for (let n = 0; n <= (faults.repeats ?? 0); n++)
        socket.send(datagram.subarray(0, cut), to.port, to.address);
    };
    if (!faults.answerAfterMs) {
      put();
      return;
    }
    const timer = setTimeout(() => {
      timers.delete(timer);
      put();
    }, faults.answerAfterMs);
    timers.add(timer);
  }

  function answerSessionless(packet: Buffer): Buffer | undefined {
    const message = decodeSessionless(packet);
    const request = message.ok ? decodeLanRequest(message.value) : message;
    return request.ok ? encodeSessionless(respond(request.value, run(request.value, undefined))) : undefined;
  }

  function answerRmcpPlus(packet: Buffer): Buffer | undefined {
    const id = packet.length >= 6 ? packet.readUInt32LE(2) : 0;
    const session = sessions.all.get(id);
    if (session?.keys !== undefined) return answerInSession(session, packet);
    const plain = decodeSessionPacket(packet, 0);
    if (!plain.ok || plain.value.authenticated || plain.value.sessionId !== 0) return undefined;
    const reply = sessions.answer(plain.value.payloadType, plain.value.payload);
    if (reply === undefined) return undefined;
    const [payloadType, payload] = reply;
    const header = { encrypted: false, authenticated: false, sessionId: 0, sequence: 0 };
    return encodeSessionPacket({ ...header, payloadType, payload }, () => Buffer.alloc(0));
  }

  function answerInSession(session: FakeSession, packet: Buffer): Buffer | undefined {
    const keys = session.keys!;
    const sealed = unseal(keys, session.bmcSessionId, packet);
    if (!sealed.ok) return undefined;
    const window = advance(session.received, sealed.value.sequence);
    const request = decodeLanRequest(sealed.value.message);
    if (window === undefined || !request.ok) return undefined;
    session.received = window;
    const message = respond(request.value, run(request.value, session));
    session.sent += 1;
    const sealedAnswer = { sessionId: session.consoleSessionId, sequence: session.sent, message };
    const bytes = seal(keys, sealedAnswer, randomBytes(IV_BYTES));
    if (spend(faults, 'wrongAuthCodes')) bytes[bytes.length - 1]! ^= 0xff;
    return bytes;
  }

  function run(request: LanRequest, session: FakeSession | undefined): CommandAnswer {
    commands.push(request.command);
    const refusal = faults.refuse?.[request.command];
    if (refusal !== undefined) return { completionCode: refusal, data: Buffer.alloc(0) };
    if (spend(faults, 'busyAnswers')) return { completionCode: NODE_BUSY, data: Buffer.alloc(0) };
    if (session !== undefined && SUPERVISED.has(request.command)) return runOnSession(request, session);
    const key = keyOf({ netFn: request.netFn, code: request.command });
    const command = machineRuns.get(key);
    if (command === undefined) return { completionCode: INVALID_COMMAND, data: Buffer.alloc(0) };
    if ((NEEDED_PRIVILEGE[key] ?? HIGHEST) > (session?.privilege ?? 0)) {
      return { completionCode: INSUFFICIENT_PRIVILEGE, data: Buffer.alloc(0) };
    }
    const answer = command(request.data);
    return faults.shortData?.includes(request.command)
      ? { ...answer, data: answer.data.subarray(0, -1) }
      : answer;
  }

  function runOnSession(request: LanRequest, session: FakeSession): CommandAnswer {
    const nothing = Buffer.alloc(0);
    if (request.command === closeSession.code) {
      const closing = closeSession.decodeRequest(request.data);
      const known = closing.ok && sessions.all.delete(closing.value.sessionId);
      return { completionCode: known ? 0 : NO_SUCH_SESSION, data: nothing };
    }
    const raise = setSessionPrivilege.decodeRequest(request.data);
    if (!raise.ok) return { completionCode: 0xc7, data: nothing };
    if (raise.value.level > user.maxPrivilege) return { completionCode: 0x81, data: nothing };
    session.privilege = raise.value.level || session.privilege;
    return { completionCode: 0, data: setSessionPrivilege.encodeResponse({ level: session.privilege }) };
  }

  function respond(request: LanRequest, answer: CommandAnswer): Buffer {
    const sequence = spend(faults, 'wrongSequences') ? (request.sequence + 63) & 0x3f : request.sequence;
    return encodeLanResponse({ netFn: request.netFn + 1, sequence, command: request.command, ...answer });
  }

  return {
    port: socket.address().port,
    machine,
    faults,
    sessions,
    commands,
    received: () => received,
    forgetSessions: () => sessions.all.clear(),
    async stop() {
      if (isStopped) return;
      isStopped = true;
      for (const timer of timers) clearTimeout(timer);
      socket.close();
      await once(socket, 'close');
    },
  };
}
