/**
 * Authentication `none`: every caller is the operator.
 *
 * The Host header must be an address or a known name of this API: otherwise a web page could reach the API through a
 * DNS name of its own that resolves to our address (DNS rebinding).
 */
import { isIP } from 'node:net';
import type { FastifyRequest } from 'fastify';
import { IngotError } from '../domain/errors.ts';
import { operator } from '../domain/policy.ts';
import type { Authentication } from './authentication.ts';
import { refuseForeignPage } from './foreign-page.ts';

/** `names` and the hosts of `urls` are the known names. */
export function createNoAuth(names: readonly string[], urls: readonly string[]): Authentication {
  const ours = new Set(['localhost', ...names.map((name) => name.toLowerCase()), ...urls.map(hostIn)]);
  const caller = operator(null);
  return {
    callerOf: () => caller,
    checkSource(request) {
      refuseForeignPage(request, urls);
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
