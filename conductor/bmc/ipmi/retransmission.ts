/**
 * Retransmission: sends a request until its answer comes. Each try waits longer than the one before. The wait adapts to
 * the BMC's response time, so that a slow BMC does not get the same request several times.
 */
import type { Deadline } from './deadline.ts';
import type { Outcome, UdpPeer } from './udp-peer.ts';

export interface Pacing {
  /** Shortest wait for one answer. */
  readonly firstTryMs: number;
  /** Longest wait for one answer. */
  readonly longestTryMs: number;
}

export interface Question<T> {
  /** Called for every try: each packet of a session has its own sequence number. */
  readonly datagram: () => Buffer;
  /** Decodes an answer, or returns undefined for other datagrams. Also called with answers to earlier tries. */
  readonly accept: (datagram: Buffer) => T | undefined;
  /** Default: as many as fit before the deadline. */
  readonly maxTries?: number;
}

/** Each try waits at most a sixth of the command's time, so that every command has at least this many tries. */
const LEAST_TRIES = 6;
/** After several tries: the next wait in proportion to the time the answer took. */
const SLOW_MARGIN = 1.25;

export class Retransmission {
  readonly #pacing: Pacing;
  readonly #now: () => Date;
  #waitMs: number;

  constructor(pacing: Pacing, now: () => Date) {
    this.#pacing = pacing;
    this.#now = now;
    this.#waitMs = pacing.firstTryMs;
  }

  async ask<T>(peer: UdpPeer, question: Question<T>, deadline: Deadline): Promise<Outcome<T>> {
    const startedAt = this.#now().getTime();
    const limitMs = Math.max(this.#pacing.firstTryMs, deadline.totalMs / LEAST_TRIES);
    let closed = false;
    for (let n = 0; n < (question.maxTries ?? Number.POSITIVE_INFINITY) && !deadline.hasPassed; n++) {
      const waitMs = Math.min(this.#waitMs, limitMs, deadline.remainingMs);
      const outcome = await peer.exchange(question.datagram(), question.accept, waitMs, deadline);
      if (outcome.kind === 'answer') {
        const tookMs = this.#now().getTime() - startedAt;
        // After several tries it is unknown which of them was answered. A slow BMC may have answered the first.
        this.#waitMs = this.#within(n === 0 ? 2 * tookMs : Math.max(this.#waitMs, SLOW_MARGIN * tookMs));
        return outcome;
      }
      closed = outcome.closed;
      this.#waitMs = this.#within(2 * this.#waitMs);
    }
    return { kind: 'silence', closed };
  }

  /** Forgets the BMC's response time. */
  reset(): void {
    this.#waitMs = this.#pacing.firstTryMs;
  }

  #within(ms: number): number {
    return Math.min(Math.max(ms, this.#pacing.firstTryMs), this.#pacing.longestTryMs);
  }
}
