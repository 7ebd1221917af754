/** `GET /images/{id}/raw` and `/images/{id}/zst`: prepared images, for agents. */
import type { FastifyInstance } from 'fastify';
import { sendFile } from '../http/file-response.ts';
import type { ImageCacheService } from './cache.ts';

export function registerImages(app: FastifyInstance, cache: Pick<ImageCacheService, 'path'>): void {
  for (const form of ['raw', 'zst'] as const) {
    app.get(`/images/:id/${form}`, async (request, reply) => {
      const { id } = request.params as { id: string };
      const path = await cache.path(id, form);
      if (path === undefined) return reply.code(404).send({ error: 'no such image' });
      return sendFile(request, reply, path);
    });
  }
}
