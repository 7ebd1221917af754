/** One at a time, first come first served: a BMC gets one command after the other, whoever sends them. */
import type { Budget } from './budget.ts';

/** A turn, or why there was none. Call the function when done. */
export type Turn = (() => void) | 'too late';

export class TurnQueue {
  readonly #waiting: (() => void)[] = [];
  #taken = false;

  get isIdle(): boolean {
    return !this.#taken;
  }

  /** Throws IngotError('aborted') if the budget's signal fires first. */
  async take(budget: Budget): Promise<Turn> {
    budget.check();
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
        reject(budget.aborted());
      };
      const timer = setTimeout(() => {
        leave();
        resolve('too late');
      }, budget.remainingMs);
      const forget = budget.onAbort(onAbort);
      this.#waiting.push(onTurn);
    });
  }

  #next(): void {
    const next = this.#waiting.shift();
    if (next === undefined) this.#taken = false;
    else next();
  }
}
