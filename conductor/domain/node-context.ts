/** A locked node, as driver interfaces get it. */
import type { Node, Port } from './node.ts';

export interface NodeContext {
  readonly node: Node;
  readonly ports: readonly Port[];
  /**
   * Aborts at the deadline of the lock, on the verb `abort`, and at shutdown. Pass it to every socket and child
   * process.
   */
  readonly signal: AbortSignal;
  now(): Date;
}
