/**
 * Authenticates the caller of every request before its body is read. Routes with the policy `public` or `ramdisk` need
 * no authentication.
 */
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Authentication, Challenge } from '../../../auth/authentication.ts';
import type { Caller } from '../../../domain/policy.ts';
import type { App } from '../../kit/app.ts';

export function authenticate(app: App, { callerOf, checkSource }: Authentication): void {
  app.addHook('onRequest', (request, reply, done) => {
    checkSource?.(request);
    const policy = request.routeOptions.config.guard?.policy;
    if (policy === 'public' || policy === 'ramdisk') return done();
    const found = callerOf(request);
    if (found instanceof Promise) return found.then((known) => letIn(request, reply, known));
    request.caller = found;
    done();
  });
}

/** Sets the caller, or sends the challenge. After that answer Fastify calls no further hook. */
function letIn(request: FastifyRequest, reply: FastifyReply, found: Caller | Challenge) {
  if ('header' in found) {
    return reply.code(401).header('WWW-Authenticate', found.header).send(found.body);
  }
  request.caller = found;
}
