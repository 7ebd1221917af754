/**
 * Waiting for a node: checks it after each task on it, and at a fixed interval as well.
 */
import { IngotError } from '../../domain/errors.ts';
import type { Node } from '../../domain/node.ts';
import type { Store } from '../../domain/store/store.ts';
import type { Engine } from '../../engine/engine.ts';

export interface NodeWaitDeps {
  readonly engine: Pick<Engine, 'watchNode'>;
  readonly store: Pick<Store, 'nodes'>;
}

export interface Wait {
  readonly signal: AbortSignal;
  readonly limitMs: number;
  /** For the error when time is up: `node X to be active`. */
  readonly what: string;
}

/** Tasks of other conductors do not notify this one, so the node is polled. */
const LOOK_MS = 5_000;

/** Resolves with the first result of `look` that is not undefined. Rejects with the signal's reason, or timeout. */
export async function nodeThat<T>(
  { engine, store }: NodeWaitDeps,
  nodeUuid: string,
  look: (node: Node | undefined) => T | undefined | Promise<T | undefined>,
  { signal, limitMs, what }: Wait,
): Promise<T> {
  const deadline = Date.now() + limitMs;
  let isChanged = false;
  let wake: () => void = () => undefined;
  const unwatch = engine.watchNode(nodeUuid, () => {
    isChanged = true;
    wake();
  });
  const aborted = () => wake();
  signal.addEventListener('abort', aborted);
  try {
    for (;;) {
      signal.throwIfAborted();
      isChanged = false;
      const found = await look(await store.nodes.find(nodeUuid));
      if (found !== undefined) return found;
      const leftMs = deadline - Date.now();
      if (leftMs <= 0) throw new IngotError('timeout', `Waited ${limitMs / 1_000} s for ${what}.`);
      if (isChanged || signal.aborted) continue;
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, Math.min(LOOK_MS, leftMs));
        wake = () => {
          clearTimeout(timer);
          resolve();
        };
      });
    }
  } finally {
    unwatch();
    signal.removeEventListener('abort', aborted);
  }
}
