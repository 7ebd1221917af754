/**
 * Asks who calls, before anything else is done with a request. Public routes are open to everybody.
 */
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Authentication, Challenge } from '../../../auth/authentication.ts';
import type { Caller } from '../../../domain/policy.ts';
import type { App } from '../../kit/app.ts';

export function authenticate(app: App, { callerOf, checkHost }: Authentication): void {
  app.addHook('onRequest', (request, reply, done) => {
    checkHost?.(request);
    const policy = request.routeOptions.config.guard?.policy;
    if (policy === 'public' || policy === 'ramdisk') return done();
    const found = callerOf(request);
    if (found instanceof Promise) return found.then((known) => letIn(request, reply, known));
    request.caller = found;
    done();
  });
}

/** A challenge sent is the answer: no hook after this one is called. */
function letIn(request: FastifyRequest, reply: FastifyReply, found: Caller | Challenge) {
  if ('header' in found) {
    return reply.code(401).header('WWW-Authenticate', found.header).send(found.body);
  }
  request.caller = found;
}
