/**
 * Interfaces that a hardware type does not offer: no-ops whose validation fails, with Ironic's names.
 */
import type { DriverInterface } from '../domain/drivers.ts';
import { IngotError } from '../domain/errors.ts';
import type { InterfaceType } from '../domain/node.ts';

export function notOffered(type: InterfaceType, name: string): DriverInterface {
  return {
    name,
    properties: {},
    validate(node) {
      throw new IngotError(
        'unsupported',
        `Driver "${node.driver}" does not support the ${type} interface (${name}).`,
      );
    },
  };
}

/** An interface that does nothing and is always valid: `noop` network and storage. */
export function noop(name: string): DriverInterface {
  return { name, properties: {}, validate: () => undefined };
}

export const NOT_OFFERED = {
  bios: notOffered('bios', 'no-bios'),
  console: notOffered('console', 'no-console'),
  firmware: notOffered('firmware', 'no-firmware'),
  inspect: notOffered('inspect', 'no-inspect'),
  raid: notOffered('raid', 'no-raid'),
  rescue: notOffered('rescue', 'no-rescue'),
  vendor: notOffered('vendor', 'no-vendor'),
} as const;
