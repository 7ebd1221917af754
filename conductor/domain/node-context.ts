/** A node that the engine holds, as driver interfaces get it. */
import type { Node, Port } from './node.ts';

export interface NodeContext {
  readonly node: Node;
  readonly ports: readonly Port[];
  /** Aborts at the holder's deadline, on `abort`, and at shutdown; pass it to every socket and child. */
  readonly signal: AbortSignal;
  now(): Date;
}
