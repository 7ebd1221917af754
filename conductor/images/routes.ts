/** `GET /images/{id}/raw` and `/images/{id}/zst`: the prepared images, for agents. */
import type { FastifyInstance } from 'fastify';
import { sendFile } from '../http/file-response.ts';
import type { ImageCacheService } from './cache.ts';
import { FORMS } from './cache-entries.ts';

export function registerImages(app: FastifyInstance, cache: Pick<ImageCacheService, 'serve'>): void {
  for (const form of FORMS) {
    app.get(`/images/:id/${form}`, async (request, reply) => {
      const { id } = request.params as { id: string };
      const served = await cache.serve(id, form);
      if (served === undefined) return reply.code(404).send({ error: 'no such image' });
      if (reply.raw.destroyed) served.release();
      else reply.raw.once('close', served.release);
      return sendFile(request, reply, served.path);
    });
  }
}
