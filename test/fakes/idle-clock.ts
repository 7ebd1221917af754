/**
 * A clock that advances only when nothing else happens. Code under test that talks to a fake in the same process
 * waits in two ways: for a datagram or an answer, which takes a few turns of the event loop, and for a time-out. The
 * clock stands still during the former, however slow the machine is, and jumps to the next time-out when nothing
 * happened for a number of turns. DNS look-ups run in other threads and are not waited for.
 */
import { setImmediate as turn } from 'node:timers/promises';
import { vi } from 'vitest';

/** Arming and clearing a timer count as events. Answers on loopback take three turns at most. */
const QUIET_TURNS = 40;

export interface IdleClock extends Disposable {
  /** Advances the clock as needed until `work` is done. At all other times the clock stands still. */
  during<T>(work: Promise<T>): Promise<T>;
  /** Advances the clock by this time. */
  pass(ms: number): Promise<void>;
}

/** Replaces setTimeout, clearTimeout and Date until disposed of. */
export function startIdleClock(): IdleClock {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date'] });
  let quietTurns = 0;
  let atWork = 0;
  let isPassing = false;
  let isOver = false;
  for (const name of ['setTimeout', 'clearTimeout'] as const) {
    const faked = globalThis[name] as (...args: unknown[]) => unknown;
    const noticed = (...args: unknown[]): unknown => {
      quietTurns = 0;
      return faked(...args);
    };
    vi.stubGlobal(name, noticed);
  }

  async function letTimePass(): Promise<void> {
    if (isPassing) return;
    isPassing = true;
    while (atWork > 0) {
      await turn();
      if (isOver) return;
      quietTurns += 1;
      if (quietTurns < QUIET_TURNS || vi.getTimerCount() === 0) continue;
      quietTurns = 0;
      await vi.advanceTimersToNextTimerAsync();
    }
    isPassing = false;
  }

  async function during<T>(work: Promise<T>): Promise<T> {
    atWork += 1;
    quietTurns = 0;
    void letTimePass();
    return work.finally(() => {
      atWork -= 1;
    });
  }

  return {
    during,
    pass: (ms) => during(new Promise((resolve) => setTimeout(resolve, ms))),
    [Symbol.dispose]() {
      isOver = true;
      vi.unstubAllGlobals();
      vi.useRealTimers();
    },
  };
}

/** Waits for events of the event loop without advancing the clock. */
export async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await turn();
}
