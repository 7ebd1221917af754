/**
 * One BMC: one socket, at most one session, one command at a time.
 *
 * The first command opens a session. Later commands use it, and it is closed after an idle time. A BMC that does not
 * answer in a session may have dropped it: the connection then opens a new session, once per command, and closes the
 * old one by its id in case the BMC still has it.
 */
import type { CipherSuiteId } from '@ingot/shared/codec/ipmi/cipher-suite.ts';
import { closeSession, NO_SUCH_SESSION } from '@ingot/shared/codec/ipmi/close-session.ts';
import type { Command } from '@ingot/shared/codec/ipmi/command.ts';
import { COMPLETED, completionCodeText, isTransient } from '@ingot/shared/codec/ipmi/completion-code.ts';
import type { LanResponse } from '@ingot/shared/codec/ipmi/lan-message.ts';
import { IngotError } from '../../domain/errors.ts';
import { endpointOf, type IpmiAddress } from './address.ts';
import { BmcError, type BmcFailure } from './bmc-error.ts';
import { type CommandOptions, Deadline } from './deadline.ts';
import { login } from './login.ts';
import { Retransmission } from './retransmission.ts';
import type { Session } from './session.ts';
import type { IpmiSettings, Logger } from './settings.ts';
import { offeredSuites } from './suite-floor.ts';
import { TurnQueue } from './turn-queue.ts';
import { type Outcome, UdpPeer } from './udp-peer.ts';

export interface ConnectionDeps {
  readonly settings: IpmiSettings;
  readonly now: () => Date;
  readonly logger: Logger;
  /** Cipher suite of an earlier connection to this BMC. */
  readonly preferredSuite: CipherSuiteId | undefined;
  /** The strongest suite that this BMC has been seen with. */
  readonly seenSuite: () => Promise<number | undefined>;
  /** Called with the suite of each session opened. */
  readonly onSuite: (suite: CipherSuiteId) => Promise<void>;
  /** Called when the idle session was closed and no command waits. */
  readonly onIdle: () => void;
}

/** Unanswered tries in a session before a new session is opened. */
const LOSS_TRIES = 3;
const CLOSE_TRIES = 3;
const MAX_ORPHANS = 16;

export class Connection {
  readonly address: IpmiAddress;
  readonly #endpoint: string;
  readonly #deps: ConnectionDeps;
  readonly #queue = new TurnQueue();
  readonly #retransmission: Retransmission;
  readonly #closing = new AbortController();
  /** Ids of sessions that the BMC may still have open. */
  readonly #orphans = new Set<number>();
  #suite: CipherSuiteId | undefined;
  #peer: UdpPeer | undefined;
  #session: Session | undefined;
  #idleTimer: NodeJS.Timeout | undefined;

  constructor(address: IpmiAddress, deps: ConnectionDeps) {
    this.address = address;
    this.#endpoint = endpointOf(address);
    this.#deps = deps;
    this.#suite = deps.preferredSuite;
    this.#retransmission = new Retransmission(deps.settings, deps.now);
  }

  /**
   * Runs one command and returns its decoded answer.
   * Throws BmcError, or IngotError('aborted') if `options.signal` fires or the connection is closed.
   */
  async run<Request, Response>(
    command: Command<Request, Response>,
    request: Request,
    options: CommandOptions = {},
  ): Promise<Response> {
    const deadline = this.#deadline(command.name, options);
    const turn = await this.#queue.take(deadline);
    if (turn === 'too late') {
      throw this.#error(
        command.name,
        deadline,
        'no answer',
        'earlier commands to this BMC took all the time',
      );
    }
    clearTimeout(this.#idleTimer);
    try {
      const data = await this.#completed(command, request, deadline);
      const decoded = command.decodeResponse(data);
      if (!decoded.ok) throw this.#error(command.name, deadline, 'bad answer', decoded.reason);
      return decoded.value;
    } finally {
      this.#afterCommand();
      turn();
    }
  }

  /** Cancels the running and the waiting commands, then closes session and socket. `why` goes into their errors. */
  async close(why: string): Promise<void> {
    this.#closing.abort(new Error(why));
    clearTimeout(this.#idleTimer);
    const turn = await this.#queue.take(this.#closeDeadline());
    await this.#hangUp();
    if (turn !== 'too late') turn();
  }

  /** Response data of a completed command. Repeats the command while the BMC reports a transient completion code. */
  async #completed<Request>(
    command: Command<Request, unknown>,
    request: Request,
    deadline: Deadline,
  ): Promise<Buffer> {
    let reopened = false;
    let refusal: BmcError | undefined;
    for (;;) {
      const answer = await this.#ask(command, request, deadline, reopened);
      if (answer.kind === 'silence') {
        this.#loseSession();
        if (reopened || deadline.hasPassed) {
          // The BMC's last completion code explains more than the missing answer.
          if (refusal !== undefined) throw refusal;
          const failure = answer.closed ? 'port closed' : 'no answer';
          throw this.#error(command.name, deadline, failure, 'the BMC stopped answering in a session');
        }
        reopened = true;
        continue;
      }
      const { completionCode, data } = answer.value;
      if (completionCode === COMPLETED) return data;
      const detail = `completion code ${completionCodeText(completionCode, command.completionCodes)}`;
      refusal = this.#error(command.name, deadline, 'command refused', detail, { completionCode });
      const { busyPauseMs } = this.#deps.settings;
      if (!isTransient(completionCode) || deadline.remainingMs <= busyPauseMs) throw refusal;
      await deadline.pause(busyPauseMs);
    }
  }

  async #ask<Request>(
    command: Command<Request, unknown>,
    request: Request,
    deadline: Deadline,
    isLastChance: boolean,
  ): Promise<Outcome<LanResponse>> {
    const { peer, session } = await this.#openSession(command.name, deadline);
    const question = session.question(command, request, isLastChance ? undefined : LOSS_TRIES);
    return this.#retransmission.ask(peer, question, deadline);
  }

  async #openSession(command: string, deadline: Deadline): Promise<{ peer: UdpPeer; session: Session }> {
    this.#peer ??= await this.#connect(command, deadline);
    const peer = this.#peer;
    if (this.#session !== undefined) {
      await this.#closeOrphans(peer, this.#session, deadline);
      return { peer, session: this.#session };
    }
    const { busyPauseMs } = this.#deps.settings;
    const offered = offeredSuites(this.address.cipherSuites, await this.#deps.seenSuite());
    const { session, suite } = await login(
      {
        peer,
        offered,
        address: this.address,
        retransmission: this.#retransmission,
        command,
        preferred: this.#suite,
        busyPauseMs,
        onAbandoned: (bmcSessionId) => this.#abandon(bmcSessionId),
      },
      deadline,
    );
    this.#session = session;
    this.#suite = suite;
    await this.#deps.onSuite(suite);
    this.#deps.logger.debug({ bmc: this.#endpoint, cipherSuite: suite }, 'IPMI session opened');
    await this.#closeOrphans(peer, session, deadline);
    return { peer, session };
  }

  async #connect(command: string, deadline: Deadline): Promise<UdpPeer> {
    try {
      return await UdpPeer.connect(this.address, deadline);
    } catch (error) {
      if (error instanceof IngotError) throw error;
      const { syscall, message } = error as NodeJS.ErrnoException;
      const failure = syscall === 'getaddrinfo' ? 'name not resolved' : 'cannot send';
      throw this.#error(command, deadline, failure, message, { cause: error });
    }
  }

  #loseSession(): void {
    if (this.#session === undefined) return;
    this.#abandon(this.#session.ids.bmc);
    this.#session = undefined;
    this.#deps.logger.warn({ bmc: this.#endpoint }, 'IPMI session does not answer and is abandoned');
  }

  /** BMCs drop unused sessions after a minute, so only the latest ids are kept. */
  #abandon(bmcSessionId: number): void {
    this.#orphans.add(bmcSessionId);
    for (const oldest of this.#orphans) {
      if (this.#orphans.size <= MAX_ORPHANS) break;
      this.#orphans.delete(oldest);
    }
  }

  async #closeOrphans(peer: UdpPeer, session: Session, deadline: Deadline): Promise<void> {
    for (const sessionId of this.#orphans) {
      const question = session.question(closeSession, { sessionId }, CLOSE_TRIES);
      const outcome = await this.#retransmission.ask(peer, question, deadline);
      if (outcome.kind === 'silence') return;
      const { completionCode } = outcome.value;
      if (completionCode !== COMPLETED && completionCode !== NO_SUCH_SESSION) {
        const words = completionCodeText(completionCode, closeSession.completionCodes);
        this.#deps.logger.warn(
          { bmc: this.#endpoint },
          `an abandoned IPMI session could not be closed: ${words}`,
        );
      }
      this.#orphans.delete(sessionId);
    }
  }

  /** Without a session, closes the socket. With one, starts the idle timer. */
  #afterCommand(): void {
    if (this.#session === undefined) {
      this.#peer?.close();
      this.#peer = undefined;
      this.#retransmission.reset();
    }
    this.#idleTimer = setTimeout(() => {
      this.#closeIdle().catch((error: unknown) => {
        this.#deps.logger.warn({ bmc: this.#endpoint, err: error }, 'closing an idle IPMI session failed');
      });
    }, this.#deps.settings.idleMs);
    this.#idleTimer.unref();
  }

  async #closeIdle(): Promise<void> {
    if (!this.#queue.isIdle) return;
    const turn = await this.#queue.take(this.#closeDeadline());
    if (turn === 'too late') return;
    await this.#hangUp();
    turn();
    if (this.#queue.isIdle) this.#deps.onIdle();
  }

  /** Sends Close Session, waits for its answer within closeTimeoutMs, and closes the socket. */
  async #hangUp(): Promise<void> {
    clearTimeout(this.#idleTimer);
    const [peer, session] = [this.#peer, this.#session];
    this.#session = undefined;
    this.#peer = undefined;
    if (peer === undefined) return;
    try {
      if (session === undefined) return;
      await this.#closeOrphans(peer, session, this.#closeDeadline());
      const question = session.question(closeSession, { sessionId: session.ids.bmc }, CLOSE_TRIES);
      const { kind } = await this.#retransmission.ask(peer, question, this.#closeDeadline());
      this.#deps.logger.debug(
        { bmc: this.#endpoint, acknowledged: kind === 'answer' },
        'IPMI session closed',
      );
    } finally {
      peer.close();
    }
  }

  #deadline(command: string, options: CommandOptions): Deadline {
    return new Deadline(`BMC ${this.#endpoint}: ${command}`, {
      now: this.#deps.now,
      limitMs: this.#deps.settings.commandTimeoutMs,
      deadline: options.deadline,
      signals: [options.signal, this.#closing.signal],
    });
  }

  /** No signal cancels Close Session: it takes closeTimeoutMs at most and frees the session at the BMC. */
  #closeDeadline(): Deadline {
    const { now, settings } = this.#deps;
    return new Deadline(`BMC ${this.#endpoint}: ${closeSession.name}`, {
      now,
      limitMs: settings.closeTimeoutMs,
      signals: [],
    });
  }

  #error(
    command: string,
    { tries }: Deadline,
    failure: BmcFailure,
    detail: string,
    more: { completionCode?: number; cause?: unknown } = {},
  ): BmcError {
    const { cause, ...code } = more;
    return new BmcError({ failure, detail, endpoint: this.#endpoint, command, tries, ...code }, { cause });
  }
}
