/**
 * Tags of images: add and delete one. Glance API v2.7.
 */

import type { FastifyReply, FastifyRequest } from 'fastify';
import { IngotError } from '../../domain/errors.ts';
import type { ImageLibrary } from '../../image-service/image-library.ts';
import { described } from '../cloud/cloud-route.ts';
import type { App } from '../kit/app.ts';
import { patchOf } from './image-change.ts';
import { changeOwn, uuidIn } from './image-routes.ts';

const PATH = '/v2/images/:id/tags/:tag';

export function registerTags(app: App, library: ImageLibrary): void {
  app.put(PATH, described('member', 'Add a tag to an image', { status: 204 }), (request, reply) =>
    changeTags(request, reply, (tags, tag) => (tags.includes(tag) ? tags : [...tags, tag])),
  );
  app.delete(PATH, described('member', 'Delete a tag of an image', { status: 204 }), (request, reply) =>
    changeTags(request, reply, (tags, tag) => {
      if (!tags.includes(tag)) throw new IngotError('notFound', `The image has no tag ${tag}.`);
      return tags.filter((known) => known !== tag);
    }),
  );

  async function changeTags(
    request: FastifyRequest,
    reply: FastifyReply,
    change: (tags: readonly string[], tag: string) => readonly string[],
  ): Promise<FastifyReply> {
    const { tag } = request.params as { tag: string };
    const { tenant } = request;
    await changeOwn(library, uuidIn(request), tenant, (image) => {
      const value = [...change(image.tags, tag)];
      return patchOf([{ op: 'replace', path: '/tags', value }], image, tenant);
    });
    return reply.code(204).send();
  }
}
