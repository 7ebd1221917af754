/**
 * One action of POST /servers/{id}/action: the body is `{name: value}`, the answer 202 without a body unless the
 * action specifies another.
 */
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Server } from '../../../domain/compute.ts';
import { IngotError } from '../../../domain/errors.ts';
import type { Asking } from '../../../servers/server-request.ts';
import type { ComputeDeps } from '../../cloud/deps.ts';
import { object, type Reader } from '../../kit/readers.ts';
import type { JsonSchema } from '../../kit/route-doc.ts';
import { readBody } from '../request.ts';
import { askedBy, serverOf } from './server-lookup.ts';

/** What an action gets. */
export interface ActionContext<T> {
  readonly server: Server;
  readonly asked: T;
  readonly by: Asking;
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
  readonly deps: ComputeDeps;
}

export interface ActionSpec<T> {
  /** Microversions that have it. */
  readonly since?: number;
  readonly until?: number;
  /** Nova's name of the policy that makes it an action of administrators. */
  readonly adminRule?: string;
  readonly value: Reader<T>;
  /** The result is the body of the answer; undefined: no body. */
  readonly run: (context: ActionContext<T>) => Promise<unknown>;
}

export interface ServerAction {
  readonly name: string;
  readonly since: number;
  readonly until: number;
  /** Schema of the value. */
  readonly schema: JsonSchema;
  perform(request: FastifyRequest, reply: FastifyReply, deps: ComputeDeps): Promise<unknown>;
}

/** Reads the value, finds the server and runs the action. */
export function serverAction<T>(name: string, spec: ActionSpec<T>): ServerAction {
  const { since = 1, until = Number.POSITIVE_INFINITY, adminRule, value, run } = spec;
  const schema = object({ [name]: value });
  return {
    name,
    since,
    until,
    schema: {
      ...value.schema,
      ...(since > 1 ? { 'x-since': since } : {}),
      ...(Number.isFinite(until) ? { 'x-until': until } : {}),
    },
    async perform(request, reply, deps) {
      const asked = readBody(request, schema)[name] as T;
      const server = await serverOf(deps, request);
      if (adminRule !== undefined && !request.tenant.isAdmin) {
        throw new IngotError('forbidden', `Policy doesn't allow ${adminRule} to be performed.`);
      }
      reply.code(202);
      return run({ server, asked, by: askedBy(request), request, reply, deps });
    },
  };
}
