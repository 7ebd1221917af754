/** Work that waits for its turn, so that only so much of it runs at the same time. */
export interface Turns {
  /** Throws the signal's reason when it is aborted while waiting. */
  take<T>(signal: AbortSignal, work: () => Promise<T>): Promise<T>;
}

export function createTurns(atATime: number): Turns {
  let running = 0;
  const waiting = new Set<() => void>();

  async function wait(signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    if (running < atATime) {
      running += 1;
      return;
    }
    const turn = Promise.withResolvers<void>();
    const leave = (): void => {
      if (waiting.delete(turn.resolve)) turn.reject(signal.reason);
    };
    waiting.add(turn.resolve);
    signal.addEventListener('abort', leave, { once: true });
    await turn.promise.finally(() => signal.removeEventListener('abort', leave));
  }

  /** The place of the one that has ended goes to the next. */
  function end(): void {
    const [next] = waiting;
    if (next === undefined) running -= 1;
    else {
      waiting.delete(next);
      next();
    }
  }

  return {
    async take(signal, work) {
      await wait(signal);
      try {
        return await work();
      } finally {
        end();
      }
    },
  };
}
