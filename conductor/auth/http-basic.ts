/**
 * `http_basic` (RFC 7617): names and passwords of an htpasswd file. Whoever is in it may do everything.
 */
import type { FastifyBaseLogger } from 'fastify';
import { operator } from '../domain/policy.ts';
import type { Authentication, Challenge } from './authentication.ts';
import { openHtpasswd } from './htpasswd.ts';

const CHALLENGE: Challenge = {
  header: 'Basic realm="Baremetal API"',
  body: { error: { message: 'Authorization required', code: 401 } },
};

export function createBasicAuthentication(file: string, logger: FastifyBaseLogger): Authentication {
  const users = openHtpasswd(file, (error) =>
    logger.error({ err: error }, 'the htpasswd file can not be read again; its users stay as they were'),
  );
  return {
    async callerOf(request) {
      const given = basicCredentials(request.headers.authorization);
      if (given === undefined || !(await users.verify(given.name, given.password))) return CHALLENGE;
      return operator(given.name);
    },
  };
}

function basicCredentials(header: string | undefined): { name: string; password: string } | undefined {
  const encoded = /^Basic ([A-Za-z0-9+/=]{1,1024})$/i.exec(header ?? '')?.[1];
  if (encoded === undefined) return undefined;
  const text = Buffer.from(encoded, 'base64').toString('utf8');
  const colon = text.indexOf(':');
  return colon < 0 ? undefined : { name: text.slice(0, colon), password: text.slice(colon + 1) };
}
