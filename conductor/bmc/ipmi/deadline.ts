/**
 * The deadline of one command and the signals that cancel it. Counts the datagrams sent, for the error text.
 */
import { IngotError } from '../../domain/errors.ts';

export interface CommandOptions {
  /** Cancels the command at once; the session stays usable. */
  readonly signal?: AbortSignal | undefined;
  /** Used if it is earlier than the client's own time limit. */
  readonly deadline?: Date | undefined;
}

export interface DeadlineLimits {
  readonly now: () => Date;
  readonly limitMs: number;
  readonly deadline?: Date | undefined;
  readonly signals: readonly (AbortSignal | undefined)[];
}

export class Deadline {
  /** The command, for the error text of an abort: `BMC 10.0.0.5:623: Get Device ID`. */
  readonly what: string;
  /** Datagrams sent so far. */
  tries = 0;
  /** Time from the start to the deadline. */
  readonly totalMs: number;
  readonly #now: () => Date;
  readonly #endsAt: number;
  readonly #signals: readonly AbortSignal[];

  constructor(what: string, { now, limitMs, deadline, signals }: DeadlineLimits) {
    this.what = what;
    this.#now = now;
    this.#endsAt = Math.min(now().getTime() + limitMs, deadline?.getTime() ?? Number.POSITIVE_INFINITY);
    this.totalMs = Math.max(0, this.#endsAt - now().getTime());
    this.#signals = signals.filter((signal) => signal !== undefined);
  }

  get remainingMs(): number {
    return Math.max(0, this.#endsAt - this.#now().getTime());
  }

  get hasPassed(): boolean {
    return this.remainingMs === 0;
  }

  /** Throws IngotError('aborted') once a signal has fired. */
  check(): void {
    if (this.#signals.some((signal) => signal.aborted)) throw this.aborted();
  }

  aborted(): IngotError {
    const cause: unknown = this.#signals.find((signal) => signal.aborted)?.reason;
    const why = cause instanceof Error ? `: ${cause.message}` : '';
    return new IngotError('aborted', `${this.what} was cancelled${why}`, { cause });
  }

  /** Calls `listener` when a signal fires. Returns a function that removes the listener. */
  onAbort(listener: () => void): () => void {
    for (const signal of this.#signals) signal.addEventListener('abort', listener, { once: true });
    return () => {
      for (const signal of this.#signals) signal.removeEventListener('abort', listener);
    };
  }

  /** Waits for `ms` or until the deadline, whichever is first. Throws IngotError('aborted') when a signal fires. */
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
