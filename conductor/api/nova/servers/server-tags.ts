/**
 * A server's tags: /servers/{id}/tags, API 2.26.
 */

import type { FastifyRequest } from 'fastify';
import type { Server } from '../../../domain/compute.ts';
import { IngotError } from '../../../domain/errors.ts';
import { described } from '../../cloud/cloud-route.ts';
import type { ComputeDeps } from '../../cloud/deps.ts';
import type { App } from '../../kit/app.ts';
import { object } from '../../kit/readers.ts';
import { itemLinks } from '../links.ts';
import { readBody } from '../request.ts';
import { changeServer } from './server-change.ts';
import { requireState, serverOf } from './server-lookup.ts';
import { MAX_TAGS, TAG_PATTERN, tags } from './server-readers.ts';

const BODY = object({ tags });
const SINCE = 26;

export function serverTagRoutes(app: App, deps: ComputeDeps): void {
  const LIST = '/servers/:id/tags';
  const ITEM = `${LIST}/:tag`;

  const change = (
    request: FastifyRequest,
    what: string,
    next: (old: readonly string[]) => readonly string[],
  ): Promise<Server> =>
    changeServer(deps, request, (server) => {
      requireState(server, ['active', 'stopped'], what);
      return { tags: next(server.tags) };
    });

  app.get(
    LIST,
    described('reader', 'List the tags of a server', { since: SINCE, list: 'tags' }),
    async (request) => ({ tags: (await serverOf(deps, request)).tags }),
  );

  app.put(
    LIST,
    described('member', 'Replace the tags of a server', { since: SINCE, body: BODY, list: 'tags' }),
    async (request) => {
      const asked = [...new Set(readBody(request, BODY).tags)];
      return { tags: (await change(request, 'update tags', () => asked)).tags };
    },
  );

  app.delete(
    LIST,
    described('member', 'Delete the tags of a server', { since: SINCE, status: 204 }),
    async (request, reply) => {
      await change(request, 'delete tags', () => []);
      return reply.code(204).send();
    },
  );

  app.get(
    ITEM,
    described('reader', 'Check whether a server has a tag', { since: SINCE, status: 204 }),
    async (request, reply) => {
      const server = await serverOf(deps, request);
      requireTag(server.tags, tagOf(request), `Server ${server.uuid}`);
      return reply.code(204).send();
    },
  );

  app.put(
    ITEM,
    described('member', 'Add a tag to a server', { since: SINCE, status: '2XX' }),
    async (request, reply) => {
      const tag = tagOf(request);
      if (!TAG_PATTERN.test(tag)) {
        throw new IngotError(
          'invalidParameter',
          `Tag '${tag.slice(0, 64)}' is invalid. It must be 1 to 60 characters without '/' and ','.`,
        );
      }
      let isNew = false;
      const { uuid } = await change(request, 'update tag', (old) => {
        isNew = !old.includes(tag);
        if (isNew && old.length >= MAX_TAGS) {
          throw new IngotError(
            'invalidParameter',
            `The number of tags exceeded the per-server limit ${MAX_TAGS}`,
          );
        }
        return isNew ? [...old, tag] : old;
      });
      if (!isNew) return reply.code(204).send();
      const path = `servers/${uuid}/tags/${encodeURIComponent(tag)}`;
      const [self] = itemLinks(request, deps.settings.publicEndpoint, path);
      return reply.code(201).header('Location', self?.href).send();
    },
  );

  app.delete(
    ITEM,
    described('member', 'Delete a tag of a server', { since: SINCE, status: 204 }),
    async (request, reply) => {
      const tag = tagOf(request);
      await change(request, 'delete tag', (old) => {
        requireTag(old, tag, 'Instance');
        return old.filter((one) => one !== tag);
      });
      return reply.code(204).send();
    },
  );
}

const tagOf = ({ params }: FastifyRequest): string => (params as { readonly tag: string }).tag;

function requireTag(among: readonly string[], tag: string, whose: string): void {
  if (!among.includes(tag)) throw new IngotError('notFound', `${whose} has no tag '${tag.slice(0, 64)}'`);
}
