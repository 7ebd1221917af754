/**
 * The addresses of this machine.
 */
import { networkInterfaces } from 'node:os';

/** Of all interfaces that are up, now. */
export const ownAddresses = (): string[] =>
  Object.values(networkInterfaces()).flatMap((interfaces = []) => interfaces.map(({ address }) => address));
