/**
 * Finds out who calls: with `none` nobody is asked, which is why that is for loopback; `http_basic` asks for a
 * name and password of a bcrypt htpasswd file; `keystone` for a token that Keystone knows. Public routes are open
 * in each.
 */
import type { FastifyRequest } from 'fastify';
import { IngotError } from '../../domain/errors.ts';
import type { Caller } from '../../domain/policy.ts';
import type { ApiSettings, App } from '../deps.ts';
import { createBasicAuthentication } from './http-basic.ts';
import { createKeystoneAuthentication } from './keystone.ts';
import { createOpenDoor } from './open-door.ts';

/** A 401: the header that says how to come back, and a body in a shape of its own that clients know. */
export interface Challenge {
  readonly header: string;
  readonly body: {
    readonly error: { readonly code: 401; readonly message: string; readonly title?: string };
  };
}

export interface Authentication {
  /** The challenge for one without valid credentials. Throws what else is in the way. */
  callerOf(request: FastifyRequest): Promise<Caller | Challenge>;
  /** Asked on public routes too. Throws forbidden. */
  checkHost?(request: FastifyRequest): void;
  close?(): Promise<void>;
}

export function authenticate(app: App, settings: ApiSettings): void {
  const { callerOf, checkHost, close } = authenticationOf(app, settings);
  app.addHook('onRequest', async (request, reply) => {
    checkHost?.(request);
    const policy = request.routeOptions.config.guard?.policy;
    if (policy === 'public' || policy === 'ramdisk') return;
    const found = await callerOf(request);
    if ('header' in found) {
      return reply.code(401).header('WWW-Authenticate', found.header).send(found.body);
    }
    request.caller = found;
  });
  if (close !== undefined) app.addHook('onClose', close);
}

function authenticationOf(app: App, settings: ApiSettings): Authentication {
  switch (settings.auth) {
    case 'none':
      return createOpenDoor(settings);
    case 'http_basic':
      if (settings.htpasswdFile === null) {
        throw new IngotError('missingParameter', 'http_basic needs an htpasswd file');
      }
      return createBasicAuthentication(settings.htpasswdFile, app.log);
    case 'keystone':
      if (settings.keystone === null) {
        throw new IngotError('missingParameter', 'keystone needs to know where Keystone is');
      }
      return createKeystoneAuthentication(settings.keystone, app.log);
  }
}
