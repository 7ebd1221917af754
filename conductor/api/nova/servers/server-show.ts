/**
 * GET, PUT and DELETE /servers/{id}.
 */

import type { Server } from '../../../domain/compute.ts';
import type { RecordPatch } from '../../../domain/resources.ts';
import { described } from '../../cloud/cloud-route.ts';
import type { ComputeDeps } from '../../cloud/deps.ts';
import type { App } from '../../kit/app.ts';
import { nullable, object, optional, since } from '../../kit/readers.ts';
import { named, printable, readBody } from '../request.ts';
import { showServer } from './server-answer.ts';
import { askedBy, serverOf } from './server-lookup.ts';
import { ACCESS_FIELDS, accessOf, diskConfig } from './server-readers.ts';

const UPDATE_BODY = object({
  server: object({
    name: optional(named()),
    'OS-DCF:diskConfig': optional(diskConfig),
    ...ACCESS_FIELDS,
    description: since(19, optional(nullable(printable(255)))),
  }),
});

export function serverShowRoutes(app: App, deps: ComputeDeps): void {
  app.get('/servers/:id', described('reader', 'Show a server', { item: 'server' }), async (request) => {
    const server = await serverOf(deps, request);
    return { server: await showServer(server, 'show', request, deps) };
  });

  app.put(
    '/servers/:id',
    described('member', 'Change the name, description or access addresses of a server', {
      body: UPDATE_BODY,
      item: 'server',
    }),
    async (request) => {
      const { server: asked } = readBody(request, UPDATE_BODY);
      const { uuid } = await serverOf(deps, request);
      const patch: RecordPatch<Server> = {
        ...accessOf(asked),
        ...(asked.name === undefined ? {} : { name: asked.name }),
        ...(asked.description === undefined ? {} : { description: asked.description }),
      };
      const server = await deps.store.compute.servers.update(uuid, patch, deps.now());
      return { server: await showServer(server, 'update', request, deps) };
    },
  );

  app.delete(
    '/servers/:id',
    described('member', 'Delete a server', { status: 204 }),
    async (request, reply) => {
      const server = await serverOf(deps, request);
      await deps.instances.delete(server, askedBy(request));
      return reply.code(204).send();
    },
  );
}
