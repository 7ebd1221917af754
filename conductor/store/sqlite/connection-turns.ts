/**
 * Who may use the one connection: everybody by turns, or the transaction that has taken it until it ends.
 */
export interface ConnectionTurns {
  isTaken(): boolean;
  /** Takes the connection for a transaction; call it within `inTurn`. */
  take(): void;
  /** Does `work` as soon as no transaction has the connection, in the order of asking. */
  inTurn<T>(work: () => T): Promise<T>;
  /** The transaction has ended: `first` runs, then those who wait in line. */
  handOver(first: () => void): void;
}

/** `insideTransaction` tells whether the caller runs within the body of an open transaction. */
export function createConnectionTurns(insideTransaction: () => boolean): ConnectionTurns {
  const line: (() => void)[] = [];
  let taken = false;

  return {
    isTaken: () => taken,
    take() {
      taken = true;
    },
    async inTurn<T>(work: () => T): Promise<T> {
      // It would wait for its own end, for ever.
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
