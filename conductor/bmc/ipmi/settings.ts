/** Time limits of the IPMI client. */
export interface IpmiSettings {
  /** Longest time of one command with all its tries, the wait for its turn and opening a session included. */
  readonly commandTimeoutMs: number;
  /** Shortest and longest wait for one answer; a slow BMC moves it between the two. */
  readonly firstTryMs: number;
  readonly longestTryMs: number;
  /** Wait before asking again a BMC that says it is busy. */
  readonly busyPauseMs: number;
  /** A session not used for so long is closed; below the 60 s after which a BMC drops it (IPMI 2.0 section 6.12.15). */
  readonly idleMs: number;
  /** Longest time spent on a polite good-bye. */
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
