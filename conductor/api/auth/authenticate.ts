/**
 * Asks who calls, before anything else is done with a request. Public routes are open to everybody.
 */
import type { Authentication } from '../../auth/authentication.ts';
import type { App } from '../deps.ts';

export function authenticate(app: App, { callerOf, checkHost }: Authentication): void {
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
}
