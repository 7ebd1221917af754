/** Faults of a fake BMC, as data. A missing field means no such fault. They may be changed while the BMC runs. */
export interface BmcFaults {
  /** 0 to 1: share of datagrams lost in each direction, chosen by the seed. */
  dropShare?: number;
  answerAfterMs?: number;
  /** Opening more than this many sessions gives "insufficient resources" (0x01). */
  maxSessions?: number;
  /** Refuses RAKP 1 with this status. */
  rakp1Status?: number | undefined;
  /** Takes RAKP 1 and does not answer, so that the session stays half open. */
  ignoresRakp1?: boolean;
  /** Cipher suites whose Open Session is not answered at all, as in old firmware. */
  ignoredSuites?: readonly number[];
  /** Answers this many commands with the previous request's sequence number. */
  wrongSequences?: number;
  /** Acknowledges Chassis Control but does nothing. */
  ignoresPower?: boolean;
  /** Acknowledges new boot flags but keeps the old ones. */
  ignoresBootDevice?: boolean;
  /** Signs this many answers with a wrong authentication code. */
  wrongAuthCodes?: number;
  /** Truncates this many datagrams, at a length chosen by the seed. */
  truncatedAnswers?: number;
  /** Answers this many commands with completion code 0xc0, node busy. */
  busyAnswers?: number;
  /** Answers these commands (by code) with response data that is one byte too short, correctly signed. */
  shortData?: readonly number[];
  /** Refuses these commands: command code -> completion code. */
  refuse?: Readonly<Record<number, number>>;
  /** Sends every answer this many additional times. */
  repeats?: number;
}

/** Decrements a field such as `wrongSequences`; true if it was above zero. */
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
