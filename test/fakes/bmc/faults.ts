/** How a fake BMC misbehaves, as data; every field absent means a good BMC. Change them while it runs. */
export interface BmcFaults {
  /** 0 to 1: share of datagrams lost, each way, chosen by the seed. */
  dropShare?: number;
  answerAfterMs?: number;
  /** More than so many sessions get "insufficient resources" (0x01). */
  maxSessions?: number;
  /** Suites whose Open Session is not answered at all, as old firmware does. */
  ignoredSuites?: readonly number[];
  /** Answers so many commands with the request sequence number of the one before. */
  wrongSequences?: number;
  /** Acknowledges Chassis Control and does nothing. */
  ignoresPower?: boolean;
  /** Acknowledges the boot flags and keeps the old ones. */
  ignoresBootDevice?: boolean;
  /** Signs so many answers with a wrong code. */
  wrongAuthCodes?: number;
  /** Cuts so many datagrams short, at a length chosen by the seed. */
  truncatedAnswers?: number;
  /** Answers so many commands with completion code 0xc0, node busy. */
  busyAnswers?: number;
  /** Answers these commands (by code) with response data one byte too short, correctly signed. */
  shortData?: readonly number[];
  /** Refuses these commands: command code -> completion code. */
  refuse?: Readonly<Record<number, number>>;
  /** Sends every answer so many more times. */
  repeats?: number;
}

/** Counts down a field such as `wrongSequences`; true while there was something left. */
export function spend(
  faults: BmcFaults,
  field: 'wrongSequences' | 'wrongAuthCodes' | 'truncatedAnswers' | 'busyAnswers',
): boolean {
  const left = faults[field] ?? 0;
  if (left > 0) faults[field] = left - 1;
  return left > 0;
}

/** Numbers from 0 to 1, the same for the same seed (mulberry32). */
export function seededRandom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
}
