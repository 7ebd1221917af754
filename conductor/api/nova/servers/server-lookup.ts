/**
 * The server of a request: found only by its UUID. Servers of other projects and deleted ones are not found.
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

/** For the actions of a server, which exist after its deletion. */
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

/** For changes that do not go through Instances. Throws conflict. */
export function refuseLocked(server: Server, request: FastifyRequest): void {
  if (server.isLocked && !request.tenant.isAdmin) {
    throw new IngotError('conflict', `Instance ${server.uuid} is locked`);
  }
}

/** For requests that need the server's machine. Throws conflict. */
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
