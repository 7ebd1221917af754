/**
 * From the `{driver}` of a path to the hardware type.
 */
import type { HardwareType } from '../../domain/drivers.ts';
import { IngotError } from '../../domain/errors.ts';

/** Throws notFound, naming those there are. */
export function driverOf(types: readonly HardwareType[], name: string): HardwareType {
  const type = types.find((one) => one.name === name);
  if (type !== undefined) return type;
  throw new IngotError(
    'notFound',
    `Could not find the following driver(s) or hardware type(s): ${name}. This conductor has: ${types.map((one) => one.name).join(', ')}.`,
  );
}
