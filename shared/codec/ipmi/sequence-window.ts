/**
 * The session sequence numbers that are still accepted (IPMI 2.0 section 6.12.13): each once, and none that is more than
 * WIDTH behind the newest. Higher numbers are always accepted, since packets may have been lost.
 */
const WIDTH = 16;

export interface SequenceWindow {
  readonly newest: number;
  /** Bit n set: number `newest - n` was seen. */
  readonly seen: number;
}

export const EMPTY_WINDOW: SequenceWindow = { newest: 0, seen: 1 };

/** The window after `sequence`, or undefined if that number is a repeat, too old, or 0. */
export function advance(window: SequenceWindow, sequence: number): SequenceWindow | undefined {
  if (sequence === 0) return undefined;
  const ahead = sequence - window.newest;
  if (ahead > 0) {
    const kept = ahead > WIDTH ? 0 : (window.seen << ahead) & ((1 << (WIDTH + 1)) - 1);
    return { newest: sequence, seen: kept | 1 };
  }
  const bit = 1 << -ahead;
  if (-ahead > WIDTH || (window.seen & bit) !== 0) return undefined;
  return { newest: window.newest, seen: window.seen | bit };
}
