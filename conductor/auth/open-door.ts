/**
 * `none`: everybody is the operator.
 *
 * A web page must not reach such an API by giving its own name our address (DNS rebinding): only addresses and
 * the names we go by are taken as Host.
 */
import { isIP } from 'node:net';
import type { FastifyRequest } from 'fastify';
import { IngotError } from '../domain/errors.ts';
import { operator } from '../domain/policy.ts';
import type { Authentication } from './authentication.ts';

/** `names` and the hosts of `urls` are what we go by. */
export function createOpenDoor(names: readonly string[], urls: readonly string[]): Authentication {
  const ours = new Set(['localhost', ...names.map((name) => name.toLowerCase()), ...urls.map(hostIn)]);
  const nobody = operator(null);
  return {
    callerOf: () => nobody,
    checkHost(request) {
      const name = hostName(request);
      if (isIP(name) !== 0 || ours.has(name)) return;
      throw new IngotError(
        'forbidden',
        `This API has no authentication and does not answer to the name "${name.slice(0, 255)}". Use its address, or set api.public_endpoint.`,
      );
    },
  };
}

const hostIn = (url: string): string => URL.parse(url)?.hostname ?? 'localhost';

/** Host without port and brackets. */
function hostName(request: FastifyRequest): string {
  return (request.hostname ?? '').toLowerCase().replace(/^\[|\]$/g, '');
}
