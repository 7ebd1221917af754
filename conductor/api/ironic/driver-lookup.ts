/**
 * Finds the hardware type that the `{driver}` of a path names.
 */
import type { HardwareType } from '../../domain/drivers.ts';
import { IngotError } from '../../domain/errors.ts';

/** Throws notFound with the names of the existing hardware types. */
export function driverOf(types: readonly HardwareType[], name: string): HardwareType {
  const type = types.find((one) => one.name === name);
  if (type !== undefined) return type;
  throw new IngotError(
    'notFound',
    `Could not find the following driver(s) or hardware type(s): ${name}. This conductor has: ${types.map((one) => one.name).join(', ')}.`,
  );
}
