/**
 * What one command may still spend: time until its deadline, and whether someone called it off.
 * It also counts the datagrams sent, for the error text.
 */
import { IngotError } from '../../domain/errors.ts';

export interface CommandOptions {
  /** Ends the wait at once; the session stays usable. */
  readonly signal?: AbortSignal | undefined;
  /** The command's own limit holds too, whichever comes first. */
  readonly deadline?: Date | undefined;
}

export interface BudgetLimits {
  readonly now: () => Date;
  readonly limitMs: number;
  readonly deadline?: Date | undefined;
  readonly signals: readonly (AbortSignal | undefined)[];
}

export class Budget {
  /** Names the work in the text of an abort: `BMC 10.0.0.5:623: Get Device ID`. */
  readonly what: string;
  /** Datagrams sent so far. */
  tries = 0;
  /** All the time there was. */
  readonly totalMs: number;
  readonly #now: () => Date;
  readonly #endsAt: number;
  readonly #signals: readonly AbortSignal[];

  constructor(what: string, { now, limitMs, deadline, signals }: BudgetLimits) {
    this.what = what;
    this.#now = now;
    this.#endsAt = Math.min(now().getTime() + limitMs, deadline?.getTime() ?? Number.POSITIVE_INFINITY);
    this.totalMs = Math.max(0, this.#endsAt - now().getTime());
    this.#signals = signals.filter((signal) => signal !== undefined);
  }

  get remainingMs(): number {
    return Math.max(0, this.#endsAt - this.#now().getTime());
  }

  get isSpent(): boolean {
    return this.remainingMs === 0;
  }

  /** Throws IngotError('aborted') once a signal has fired. */
  check(): void {
    if (this.#signals.some((signal) => signal.aborted)) throw this.aborted();
  }

  aborted(): IngotError {
    const cause: unknown = this.#signals.find((signal) => signal.aborted)?.reason;
    const why = cause instanceof Error ? `: ${cause.message}` : '';
    return new IngotError('aborted', `${this.what} was called off${why}`, { cause });
  }

  /** Calls `listener` when a signal fires; the result takes the listener away again. */
  onAbort(listener: () => void): () => void {
    for (const signal of this.#signals) signal.addEventListener('abort', listener, { once: true });
    return () => {
      for (const signal of this.#signals) signal.removeEventListener('abort', listener);
    };
  }

  /** Waits, but not beyond the deadline. */
  async pause(ms: number): Promise<void> {
    this.check();
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const timer = setTimeout(resolve, Math.min(ms, this.remainingMs));
    const forget = this.onAbort(() => reject(this.aborted()));
    await promise.finally(() => {
      clearTimeout(timer);
      forget();
    });
  }
}
