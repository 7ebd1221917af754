/**
 * Changes of what users keep with a server: metadata and tags, one change after the other.
 */
import type { FastifyRequest } from 'fastify';
import type { Server } from '../../../domain/compute.ts';
import type { RecordPatch } from '../../../domain/resources.ts';
import type { ComputeDeps } from '../../cloud/deps.ts';
import { serverOf } from './server-lookup.ts';

/** `change` sees the server as it is at that moment, and throws what stands against it. */
export const changeServer = (
  deps: ComputeDeps,
  request: FastifyRequest,
  change: (server: Server) => RecordPatch<Server>,
): Promise<Server> =>
  deps.store.transaction(async (store) => {
    const server = await serverOf({ ...deps, store }, request);
    return store.compute.servers.update(server.uuid, change(server), deps.now());
  });
