/**
 * A look-up of host names for sockets, which returns only allowed addresses. The socket connects to one of them, without
 * another look-up.
 */
import { lookup } from 'node:dns';
import type { LookupFunction } from 'node:net';
import { RefusedDestination } from '../domain/outbound/outbound.ts';

/** `judge` returns why an address is refused. */
export function guardedLookup(
  judge: (address: string) => string | undefined,
  resolve: typeof lookup = lookup,
): LookupFunction {
  return (hostname, options, done) => {
    resolve(hostname, { ...options, all: true }, (error, found) => {
      if (error !== null) return done(error, '');
      const allowed = found.filter(({ address }) => judge(address) === undefined);
      const [first] = allowed;
      if (first === undefined) return done(refusal(hostname, found, judge), '');
      if (options.all === true) done(null, allowed);
      else done(null, first.address, first.family);
    });
  };
}

function refusal(
  hostname: string,
  found: readonly { readonly address: string }[],
  judge: (address: string) => string | undefined,
): RefusedDestination {
  const [first] = found;
  const why = first === undefined ? 'has no address' : `has the address ${judge(first.address)}`;
  return new RefusedDestination(`${hostname} ${why}`);
}
