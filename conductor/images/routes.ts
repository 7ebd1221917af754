/** `GET /images/{id}/raw` and `/images/{id}/zst`: the prepared images, for the agents that write them. */
import { isUuid } from '@ingot/shared/ironic/identifiers.ts';
import type { FastifyInstance } from 'fastify';
import type { Node } from '../domain/node.ts';
import { sendFile } from '../http/file-response.ts';
import type { ImageCacheService } from './cache.ts';
import { FORMS } from './cache-entries.ts';

type Nodes = { find(uuid: string): Promise<Node | undefined> };

/** Every request without a valid ticket gets the same 404 as one for an image that is not there. */
export function registerImages(
  app: FastifyInstance,
  cache: Pick<ImageCacheService, 'serve' | 'admits'>,
  nodes: Nodes,
): void {
  async function isAdmitted(id: string, { node: uuid, ticket }: Record<string, unknown>): Promise<boolean> {
    if (typeof uuid !== 'string' || typeof ticket !== 'string' || !isUuid(uuid)) return false;
    const node = await nodes.find(uuid);
    return node !== undefined && cache.admits(node, id, ticket);
  }

  for (const form of FORMS) {
    app.get(`/images/:id/${form}`, { config: { transfer: true } }, async (request, reply) => {
      const { id } = request.params as { id: string };
      const isAllowed = await isAdmitted(id, request.query as Record<string, unknown>);
      const served = isAllowed ? await cache.serve(id, form) : undefined;
      if (served === undefined) return reply.code(404).send({ error: 'no such image' });
      if (reply.raw.destroyed) served.release();
      else reply.raw.once('close', served.release);
      return sendFile(request, reply, served.path);
    });
  }
}
