/**
 * Changes of metadata and tags, one after the other.
 */
import type { FastifyRequest } from 'fastify';
import type { Server } from '../../../domain/compute.ts';
import type { RecordPatch } from '../../../domain/resources.ts';
import type { ComputeDeps } from '../../cloud/deps.ts';
import { serverOf } from './server-lookup.ts';

/** `change` gets the current server, and throws when the change is not possible. */
export const changeServer = (
  deps: ComputeDeps,
  request: FastifyRequest,
  change: (server: Server) => RecordPatch<Server>,
): Promise<Server> =>
  deps.store.transaction(async (store) => {
    const server = await serverOf({ ...deps, store }, request);
    return store.compute.servers.update(server.uuid, change(server), deps.now());
  });
