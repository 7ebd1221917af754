/**
 * Access to the one connection: callers use it in turn, but a transaction has it alone until it ends.
 */
export interface ConnectionTurns {
  isTaken(): boolean;
  /** Reserves the connection for a transaction; call it within `inTurn`. */
  take(): void;
  /** Runs `work` as soon as no transaction has the connection, in the order of the calls. */
  inTurn<T>(work: () => T): Promise<T>;
  /** Called at the end of the transaction: runs `first`, then the waiting callers. */
  handOver(first: () => void): void;
}

/** `insideTransaction` returns whether the caller is in the body of an open transaction. */
export function createConnectionTurns(insideTransaction: () => boolean): ConnectionTurns {
  const line: (() => void)[] = [];
  let taken = false;

  return {
    isTaken: () => taken,
    take() {
      taken = true;
    },
    async inTurn<T>(work: () => T): Promise<T> {
      // The transaction would wait for itself forever.
      if (insideTransaction()) {
        throw new Error('the store was used inside its own transaction: use the store given to the work');
      }
      if (!taken && line.length === 0) return work();
      return new Promise((resolve, reject) => {
        line.push(() => {
          try {
            resolve(work());
          } catch (error) {
            reject(error);
          }
        });
      });
    },
    handOver(first) {
      taken = false;
      first();
      while (!taken) {
        const next = line.shift();
        if (next === undefined) return;
        next();
      }
    },
  };
}
