/**
 * Starts the parts of a conductor in order and stops them in the reverse order.
 */
export interface Part {
  start?(): Promise<unknown>;
  stop?(): Promise<unknown>;
}

export interface RunningApp {
  start(): Promise<void>;
  /** Stops all parts, also those that have not started. */
  stop(): Promise<void>;
  /** Reads again the files that may have changed; undefined: there are none. */
  reload?: () => void;
}

export function runningApp(parts: readonly Part[]): RunningApp {
  return {
    async start() {
      for (const part of parts) await part.start?.();
    },
    async stop() {
      for (const part of parts.toReversed()) await part.stop?.();
    },
  };
}
