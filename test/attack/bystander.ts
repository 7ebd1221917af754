/**
 * What others notice of an attack: an operator who asks all the time, and the memory of the conductor.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { AttackedConductor } from './attacked-conductor.ts';

const PAUSE_MS = 20;
const LIMIT_MS = 20_000;

export interface Noticed<T> {
  readonly result: T;
  /** The slowest answer to the operator. */
  readonly slowestMs: number;
  /** How much more memory the conductor had at most. */
  readonly grownMiB: number;
}

/** Runs the attack while an operator lists nodes. */
export async function watched<T>(
  conductor: AttackedConductor,
  attack: () => Promise<T>,
): Promise<Noticed<T>> {
  const before = await conductor.residentMiB();
  let [slowestMs, mostMiB, running] = [0, before, true];
  const operator = async (): Promise<void> => {
    while (running) {
      const asked = performance.now();
      await conductor.api('GET', '/v1/nodes');
      slowestMs = Math.max(slowestMs, performance.now() - asked);
      mostMiB = Math.max(mostMiB, await conductor.residentMiB());
      await sleep(PAUSE_MS);
    }
  };
  const watching = operator();
  try {
    const result = await attack();
    return { result, slowestMs, grownMiB: mostMiB - before };
  } finally {
    running = false;
    await watching;
  }
}

/** The node once it is in one of these states and nothing works on it. Throws with its state if it does not get there. */
export async function settled(
  { api }: AttackedConductor,
  node: string,
  ...states: readonly string[]
  // biome-ignore lint/suspicious/noExplicitAny: tests read answers of every shape
): Promise<any> {
  const deadline = Date.now() + LIMIT_MS;
  for (;;) {
    const { body } = await api('GET', `/v1/nodes/${node}`);
    if (states.includes(body.provision_state) && body.reservation === null) return body;
    if (Date.now() > deadline) {
      const error = String(body.last_error).slice(0, 500);
      throw new Error(
        `the node is ${body.provision_state}, not ${states.join(' or ')}; last_error: ${error}`,
      );
    }
    await sleep(PAUSE_MS);
  }
}
