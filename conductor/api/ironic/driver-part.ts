/**
 * The optional parts of a node's interfaces, for routes that need one.
 */
import type { DriverParts } from '../../domain/driver-parts.ts';
import type { DriverInterface } from '../../domain/drivers.ts';
import { IngotError } from '../../domain/errors.ts';
import type { Node } from '../../domain/node.ts';

/** Throws unsupported, naming interface and function, when the interface does not have the part. */
export function partOf<K extends keyof DriverParts>(
  node: Node,
  implementation: DriverInterface,
  part: K,
  asked: string,
): NonNullable<DriverParts[K]> {
  const found = implementation[part];
  if (found !== undefined) return found as NonNullable<DriverParts[K]>;
  throw new IngotError(
    'unsupported',
    `Driver ${node.driver} does not support ${asked} (disabled or not implemented): the interface "${implementation.name}" of node ${node.uuid} has no such function.`,
  );
}
