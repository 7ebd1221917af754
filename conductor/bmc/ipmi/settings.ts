/** Time limits of the IPMI client. */
export interface IpmiSettings {
  /** Time limit of one command: the wait for its turn, opening a session and all tries. */
  readonly commandTimeoutMs: number;
  /** Shortest and longest wait for one answer; the wait adapts to the BMC between the two. */
  readonly firstTryMs: number;
  readonly longestTryMs: number;
  /** Wait before a command is repeated to a BMC that reports that it is busy. */
  readonly busyPauseMs: number;
  /** An unused session is closed after this time, before the BMC drops it after 60 s (IPMI 2.0 section 6.12.15). */
  readonly idleMs: number;
  /** Time limit for Close Session. */
  readonly closeTimeoutMs: number;
}

export const DEFAULT_IPMI_SETTINGS: IpmiSettings = {
  commandTimeoutMs: 60_000,
  firstTryMs: 1_000,
  longestTryMs: 10_000,
  busyPauseMs: 500,
  idleMs: 45_000,
  closeTimeoutMs: 3_000,
};

/** The part of a pino logger used here. */
export interface Logger {
  debug(fields: object, message: string): void;
  warn(fields: object, message: string): void;
}
