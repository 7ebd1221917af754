/**
 * Delays of fake hardware as Ironic writes them: `"2"` is always two seconds, `"2,10"` is between two
 * and ten, most often near two (triangular distribution with its peak at the first value).
 */
export interface DelayRange {
  readonly usualMs: number;
  readonly longestMs: number;
}

export const NO_DELAY: DelayRange = { usualMs: 0, longestMs: 0 };
/** The node is locked while the step sleeps, so longer delays are not allowed. */
export const MAX_DELAY_SECONDS = 600;

/** Undefined for anything but one or two numbers of seconds, the smaller first. */
export function parseDelayRange(text: string): DelayRange | undefined {
  const match = /^\s*(\d+(?:\.\d+)?)\s*(?:,\s*(\d+(?:\.\d+)?)\s*)?$/.exec(text);
  if (match === null) return undefined;
  const usual = Number(match[1]);
  const longest = match[2] === undefined ? usual : Number(match[2]);
  if (longest < usual || longest > MAX_DELAY_SECONDS) return undefined;
  return { usualMs: usual * 1000, longestMs: longest * 1000 };
}

/** `random` like Math.random: 0 <= r < 1. */
export function drawDelay({ usualMs, longestMs }: DelayRange, random: () => number): number {
  if (usualMs === longestMs) return usualMs;
  return longestMs - (longestMs - usualMs) * Math.sqrt(1 - random());
}
