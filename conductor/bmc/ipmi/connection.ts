/**
 * One BMC: one socket, at most one session, one command at a time.
 *
 * A session is opened by the first command, kept for the next ones and closed after a quiet time. Silence in a
 * session may mean that the BMC has forgotten it: then it is opened anew, once per command, and the new session
 * closes the old one by its id, in case the BMC had not.
 */
import type { CipherSuiteId } from '@ingot/shared/codec/ipmi/cipher-suite.ts';
import { closeSession, NO_SUCH_SESSION } from '@ingot/shared/codec/ipmi/close-session.ts';
import type { Command } from '@ingot/shared/codec/ipmi/command.ts';
import { COMPLETED, completionCodeText, isTransient } from '@ingot/shared/codec/ipmi/completion-code.ts';
import type { LanResponse } from '@ingot/shared/codec/ipmi/lan-message.ts';
import { IngotError } from '../../domain/errors.ts';
import { endpointOf, type IpmiAddress } from './address.ts';
import { BmcError, type BmcFailure } from './bmc-error.ts';
import { Budget, type CommandOptions } from './budget.ts';
import { login } from './login.ts';
import { Patience } from './patience.ts';
import type { Session } from './session.ts';
import type { IpmiSettings, Logger } from './settings.ts';
import { TurnQueue } from './turn-queue.ts';
import { type Outcome, UdpPeer } from './udp-peer.ts';

export interface ConnectionDeps {
  readonly settings: IpmiSettings;
  readonly now: () => Date;
  readonly logger: Logger;
  /** Cipher suite that worked earlier with this BMC, kept beyond the connection. */
  readonly preferredSuite: CipherSuiteId | undefined;
  /** Called with the suite of each session opened. */
  readonly onSuite: (suite: CipherSuiteId) => void;
  /** Called when the session was closed for lack of use and nobody waits. */
  readonly onIdle: () => void;
}

/** Silent tries in a session before it is taken for forgotten. */
const LOSS_TRIES = 3;
const CLOSE_TRIES = 3;
const MAX_ORPHANS = 16;

export class Connection {
  readonly address: IpmiAddress;
  readonly #endpoint: string;
  readonly #deps: ConnectionDeps;
  readonly #queue = new TurnQueue();
  readonly #patience: Patience;
  readonly #closing = new AbortController();
  /** BMC ids of sessions that may still be open over there. */
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
    this.#patience = new Patience(deps.settings, deps.now);
  }

  /**
   * The decoded answer of one command.
   * Throws BmcError, or IngotError('aborted') if `options.signal` fires or the connection is closed.
   */
  async run<Request, Response>(
    command: Command<Request, Response>,
    request: Request,
    options: CommandOptions = {},
  ): Promise<Response> {
    const budget = this.#budget(command.name, options);
    const turn = await this.#queue.take(budget);
    if (turn === 'too late') {
      throw this.#error(command.name, budget, 'no answer', 'its turn behind other commands did not come');
    }
    clearTimeout(this.#idleTimer);
    try {
      const data = await this.#completed(command, request, budget);
      const decoded = command.decodeResponse(data);
      if (!decoded.ok) throw this.#error(command.name, budget, 'bad answer', decoded.reason);
      return decoded.value;
    } finally {
      this.#rest();
      turn();
    }
  }

  /** Ends the command at work and those waiting, closes the session and the socket. `why` goes into their errors. */
  async close(why: string): Promise<void> {
    this.#closing.abort(new Error(why));
    clearTimeout(this.#idleTimer);
    const turn = await this.#queue.take(this.#closeBudget());
    await this.#hangUp();
    if (turn !== 'too late') turn();
  }

  /** Response data of a command that completed; asks again while the BMC says "later". */
  async #completed<Request>(
    command: Command<Request, unknown>,
    request: Request,
    budget: Budget,
  ): Promise<Buffer> {
    let reopened = false;
    let refusal: BmcError | undefined;
    for (;;) {
      const answer = await this.#ask(command, request, budget, reopened);
      if (answer.kind === 'silence') {
        this.#loseSession();
        if (reopened || budget.isSpent) {
          // What the BMC did say tells more than its silence in the last moment.
          if (refusal !== undefined) throw refusal;
          const failure = answer.closed ? 'port closed' : 'no answer';
          throw this.#error(command.name, budget, failure, 'the BMC stopped answering in a session');
        }
        reopened = true;
        continue;
      }
      const { completionCode, data } = answer.value;
      if (completionCode === COMPLETED) return data;
      const detail = `completion code ${completionCodeText(completionCode, command.completionCodes)}`;
      refusal = this.#error(command.name, budget, 'command refused', detail, { completionCode });
      const { busyPauseMs } = this.#deps.settings;
      if (!isTransient(completionCode) || budget.remainingMs <= busyPauseMs) throw refusal;
      await budget.pause(busyPauseMs);
    }
  }

  async #ask<Request>(
    command: Command<Request, unknown>,
    request: Request,
    budget: Budget,
    isLastChance: boolean,
  ): Promise<Outcome<LanResponse>> {
    const { peer, session } = await this.#openSession(command.name, budget);
    const question = session.question(command, request, isLastChance ? undefined : LOSS_TRIES);
    return this.#patience.ask(peer, question, budget);
  }

  async #openSession(command: string, budget: Budget): Promise<{ peer: UdpPeer; session: Session }> {
    this.#peer ??= await this.#connect(command, budget);
    const peer = this.#peer;
    if (this.#session !== undefined) {
      await this.#closeOrphans(peer, this.#session, budget);
      return { peer, session: this.#session };
    }
    const { busyPauseMs } = this.#deps.settings;
    const { session, suite } = await login(
      {
        peer,
        address: this.address,
        patience: this.#patience,
        command,
        preferred: this.#suite,
        busyPauseMs,
        onAbandoned: (bmcSessionId) => this.#abandon(bmcSessionId),
      },
      budget,
    );
    this.#session = session;
    this.#suite = suite;
    this.#deps.onSuite(suite);
    this.#deps.logger.debug({ bmc: this.#endpoint, cipherSuite: suite }, 'IPMI session opened');
    await this.#closeOrphans(peer, session, budget);
    return { peer, session };
  }

  async #connect(command: string, budget: Budget): Promise<UdpPeer> {
    try {
      return await UdpPeer.connect(this.address, budget);
    } catch (error) {
      if (error instanceof IngotError) throw error;
      const { syscall, message } = error as NodeJS.ErrnoException;
      const failure = syscall === 'getaddrinfo' ? 'name not resolved' : 'cannot send';
      throw this.#error(command, budget, failure, message, { cause: error });
    }
  }

  #loseSession(): void {
    if (this.#session === undefined) return;
    this.#abandon(this.#session.ids.bmc);
    this.#session = undefined;
    this.#deps.logger.warn({ bmc: this.#endpoint }, 'IPMI session went silent and is given up');
  }

  /** The BMC drops forgotten sessions after a minute, so only the latest matter. */
  #abandon(bmcSessionId: number): void {
    this.#orphans.add(bmcSessionId);
    for (const oldest of this.#orphans) {
      if (this.#orphans.size <= MAX_ORPHANS) break;
      this.#orphans.delete(oldest);
    }
  }

  async #closeOrphans(peer: UdpPeer, session: Session, budget: Budget): Promise<void> {
    for (const sessionId of this.#orphans) {
      const question = session.question(closeSession, { sessionId }, CLOSE_TRIES);
      const outcome = await this.#patience.ask(peer, question, budget);
      if (outcome.kind === 'silence') return;
      const { completionCode } = outcome.value;
      if (completionCode !== COMPLETED && completionCode !== NO_SUCH_SESSION) {
        const words = completionCodeText(completionCode, closeSession.completionCodes);
        this.#deps.logger.warn({ bmc: this.#endpoint }, `IPMI session left behind not closed: ${words}`);
      }
      this.#orphans.delete(sessionId);
    }
  }

  /** After a command: without a session no socket is held; with one, it is closed unless used again soon. */
  #rest(): void {
    if (this.#session === undefined) {
      this.#peer?.close();
      this.#peer = undefined;
      this.#patience.reset();
    }
    this.#idleTimer = setTimeout(() => {
      this.#retire().catch((error: unknown) => {
        this.#deps.logger.warn({ bmc: this.#endpoint, err: error }, 'closing an idle IPMI session failed');
      });
    }, this.#deps.settings.idleMs);
    this.#idleTimer.unref();
  }

  async #retire(): Promise<void> {
    if (!this.#queue.isIdle) return;
    const turn = await this.#queue.take(this.#closeBudget());
    if (turn === 'too late') return;
    await this.#hangUp();
    turn();
    if (this.#queue.isIdle) this.#deps.onIdle();
  }

  /** Close Session, politely but not for long, then the socket. */
  async #hangUp(): Promise<void> {
    clearTimeout(this.#idleTimer);
    const [peer, session] = [this.#peer, this.#session];
    this.#session = undefined;
    this.#peer = undefined;
    if (peer === undefined) return;
    try {
      if (session === undefined) return;
      await this.#closeOrphans(peer, session, this.#closeBudget());
      const question = session.question(closeSession, { sessionId: session.ids.bmc }, CLOSE_TRIES);
      const { kind } = await this.#patience.ask(peer, question, this.#closeBudget());
      this.#deps.logger.debug(
        { bmc: this.#endpoint, acknowledged: kind === 'answer' },
        'IPMI session closed',
      );
    } finally {
      peer.close();
    }
  }

  #budget(command: string, options: CommandOptions): Budget {
    return new Budget(`BMC ${this.#endpoint}: ${command}`, {
      now: this.#deps.now,
      limitMs: this.#deps.settings.commandTimeoutMs,
      deadline: options.deadline,
      signals: [options.signal, this.#closing.signal],
    });
  }

  /** Nobody calls off a good-bye: it is short, and leaves nothing behind at the BMC. */
  #closeBudget(): Budget {
    const { now, settings } = this.#deps;
    return new Budget(`BMC ${this.#endpoint}: ${closeSession.name}`, {
      now,
      limitMs: settings.closeTimeoutMs,
      signals: [],
    });
  }

  #error(
    command: string,
    { tries }: Budget,
    failure: BmcFailure,
    detail: string,
    more: { completionCode?: number; cause?: unknown } = {},
  ): BmcError {
    const { cause, ...code } = more;
    return new BmcError({ failure, detail, endpoint: this.#endpoint, command, tries, ...code }, { cause });
  }
}
