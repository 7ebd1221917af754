/**
 * Answers with whole servers: their views with everything that these need.
 */
import type { FastifyRequest } from 'fastify';
import type { Server } from '../../../domain/compute.ts';
import type { ComputeDeps } from '../../cloud/deps.ts';
import { itemLinks } from '../links.ts';
import { surroundingsOf } from './server-surroundings.ts';
import { type Answer, serverView, type Viewer } from './server-view.ts';

export const viewerOf = (request: FastifyRequest, { settings }: ComputeDeps): Viewer => ({
  minor: request.minor,
  isAdmin: request.tenant.isAdmin,
  links: (path) => itemLinks(request, settings.publicEndpoint, path),
});

export async function showServers(
  servers: readonly Server[],
  answer: Answer,
  request: FastifyRequest,
  deps: ComputeDeps,
): Promise<Record<string, unknown>[]> {
  const around = await surroundingsOf(servers, deps);
  const view = serverView(answer, viewerOf(request, deps));
  return servers.map((server) => view(server, around(server)));
}

export async function showServer(
  server: Server,
  answer: Answer,
  request: FastifyRequest,
  deps: ComputeDeps,
): Promise<Record<string, unknown>> {
  const [shown] = await showServers([server], answer, request, deps);
  return shown ?? {};
}
