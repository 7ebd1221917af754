/**
 * The server a request is about: by its UUID only, and as if it were not there when it is another project's or has
 * been deleted.
 */
import type { FastifyRequest } from 'fastify';
import type { Server } from '../../../domain/compute.ts';
import { IngotError, notFound } from '../../../domain/errors.ts';
import { sees } from '../../../identity/tenant.ts';
import type { Asking } from '../../../servers/server-request.ts';
import type { ComputeDeps } from '../../cloud/deps.ts';

/** Throws notFound. */
export async function serverOf(deps: ComputeDeps, request: FastifyRequest): Promise<Server> {
  const server = await serverEvenDeleted(deps, request);
  if (server.vmState === 'deleted') throw notFound('Instance', server.uuid);
  return server;
}

/** For what outlives a server: the record of its actions. */
export async function serverEvenDeleted(deps: ComputeDeps, request: FastifyRequest): Promise<Server> {
  const { id } = request.params as { readonly id: string };
  const server = await deps.store.compute.servers.find(id);
  if (server === undefined || !sees(request.tenant, server.projectId)) throw notFound('Instance', id);
  return server;
}

export const askedBy = (request: FastifyRequest): Asking => ({
  tenant: request.tenant,
  requestId: request.id,
});

/** For what is done here and not by Instances. Throws conflict. */
export function refuseLocked(server: Server, request: FastifyRequest): void {
  if (server.isLocked && !request.tenant.isAdmin) {
    throw new IngotError('conflict', `Instance ${server.uuid} is locked`);
  }
}

/** For what its machine is needed for. Throws conflict. */
export function requirePlace({ uuid, nodeUuid }: Server): void {
  if (nodeUuid === null) throw new IngotError('conflict', `Instance ${uuid} is not ready`);
}

/** Throws conflict unless the server is in one of these states. */
export function requireState(server: Server, states: readonly Server['vmState'][], action: string): void {
  if (states.includes(server.vmState)) return;
  throw new IngotError(
    'conflict',
    `Cannot '${action}' instance ${server.uuid} while it is in vm_state ${server.vmState}`,
  );
}
