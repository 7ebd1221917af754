/**
 * Sends a datagram again and again until an answer comes: each try waits longer, and a slow BMC is remembered, so that
 * it is not asked the same thing four times over.
 */
import type { Budget } from './budget.ts';
import type { Outcome, UdpPeer } from './udp-peer.ts';

export interface Pacing {
  /** Shortest wait for an answer. */
  readonly firstTryMs: number;
  /** Longest. */
  readonly longestTryMs: number;
}

export interface Question<T> {
  /** Called for every try, since each packet of a session has a number of its own. */
  readonly datagram: () => Buffer;
  /** Also called with answers to earlier tries. */
  readonly accept: (datagram: Buffer) => T | undefined;
  /** Default: as many as the budget allows. */
  readonly maxTries?: number;
}

/** No try takes more than this share of a command's time, however slow the BMC was. */
const LEAST_TRIES = 6;
const SLOW_MARGIN = 1.25;

export class Patience {
  readonly #pacing: Pacing;
  readonly #now: () => Date;
  #waitMs: number;

  constructor(pacing: Pacing, now: () => Date) {
    this.#pacing = pacing;
    this.#now = now;
    this.#waitMs = pacing.firstTryMs;
  }

  async ask<T>(peer: UdpPeer, question: Question<T>, budget: Budget): Promise<Outcome<T>> {
    const startedAt = this.#now().getTime();
    const limitMs = Math.max(this.#pacing.firstTryMs, budget.totalMs / LEAST_TRIES);
    let closed = false;
    for (let n = 0; n < (question.maxTries ?? Number.POSITIVE_INFINITY) && !budget.isSpent; n++) {
      const waitMs = Math.min(this.#waitMs, limitMs, budget.remainingMs);
      const outcome = await peer.exchange(question.datagram(), question.accept, waitMs, budget);
      if (outcome.kind === 'answer') {
        const tookMs = this.#now().getTime() - startedAt;
        // After several tries nobody knows which one was answered: it may have been the first, by a slow BMC.
        this.#waitMs = this.#within(n === 0 ? 2 * tookMs : Math.max(this.#waitMs, SLOW_MARGIN * tookMs));
        return outcome;
      }
      closed = outcome.closed;
      this.#waitMs = this.#within(2 * this.#waitMs);
    }
    return { kind: 'silence', closed };
  }

  /** Forgets how slow the BMC was. */
  reset(): void {
    this.#waitMs = this.#pacing.firstTryMs;
  }

  #within(ms: number): number {
    return Math.min(Math.max(ms, this.#pacing.firstTryMs), this.#pacing.longestTryMs);
  }
}
