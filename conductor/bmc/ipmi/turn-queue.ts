/** A first-in, first-out queue: a BMC gets one command at a time. */
import type { Deadline } from './deadline.ts';

/** The function ends the turn. 'too late': the deadline passed before the turn came. */
export type Turn = (() => void) | 'too late';

export class TurnQueue {
  readonly #waiting: (() => void)[] = [];
  #taken = false;

  get isIdle(): boolean {
    return !this.#taken;
  }

  /** Throws IngotError('aborted') if the deadline's signal fires first. */
  async take(deadline: Deadline): Promise<Turn> {
    deadline.check();
    if (!this.#taken) {
      this.#taken = true;
      return () => this.#next();
    }
    return new Promise((resolve, reject) => {
      const leave = () => {
        clearTimeout(timer);
        forget();
        const place = this.#waiting.indexOf(onTurn);
        if (place >= 0) this.#waiting.splice(place, 1);
      };
      const onTurn = () => {
        leave();
        resolve(() => this.#next());
      };
      const onAbort = () => {
        leave();
        reject(deadline.aborted());
      };
      const timer = setTimeout(() => {
        leave();
        resolve('too late');
      }, deadline.remainingMs);
      const forget = deadline.onAbort(onAbort);
      this.#waiting.push(onTurn);
    });
  }

  #next(): void {
    const next = this.#waiting.shift();
    if (next === undefined) this.#taken = false;
    else next();
  }
}
