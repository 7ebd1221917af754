/**
 * Tags of networks, subnets and ports: list, replace and delete all of them, or check, add and delete one.
 */

import type { FastifyRequest } from 'fastify';
import type { RecordPatch } from '../../domain/resources.ts';
import { type NetworkError, refused } from '../../network-service/network-error.ts';
import { described } from '../cloud/cloud-route.ts';
import type { ComputeDeps } from '../cloud/deps.ts';
import type { App } from '../kit/app.ts';
import { placeOf, tags as tagList } from './attributes.ts';
import { type Collection, type Tagged, VERSION } from './collection.ts';
import { TAGS_BODY } from './collection-schemas.ts';
import { changeableRecord, idIn, visibleRecord } from './requested-record.ts';

const tagIn = ({ params }: FastifyRequest): string => (params as { readonly tag: string }).tag;

const noTag = (request: FastifyRequest): NetworkError =>
  refused.tagNotFound(tagIn(request).slice(0, 64), idIn(request));

export function registerTags<T extends Tagged>(
  app: App,
  { store, now }: ComputeDeps,
  of: Collection<T>,
): void {
  const { singular, plural } = of;
  const path = `${VERSION}/${plural}`;

  /** Tags are read and changed in one transaction. */
  const retag = (request: FastifyRequest, change: (tags: readonly string[]) => unknown): Promise<T> =>
    store.transaction(async (tx) => {
      const record = await changeableRecord(of, tx, request);
      const tags = tagList.read(change(record.tags), placeOf('tags', refused.invalidInput));
      return of.records(tx).update(record.uuid, { tags } as RecordPatch<T>, now());
    });

  app.get(
    `${path}/:id/tags`,
    described('reader', `List the tags of a ${singular}`, { list: 'tags' }),
    async (request) => ({ tags: (await visibleRecord(of, store, request)).tags }),
  );
  app.put(
    `${path}/:id/tags`,
    described('member', `Replace the tags of a ${singular}`, { body: TAGS_BODY, list: 'tags' }),
    async (request) => {
      const given = (request.body as { readonly tags?: unknown } | null)?.tags;
      if (given === undefined) throw refused.invalidInput('Invalid tags body');
      return { tags: (await retag(request, () => given)).tags };
    },
  );
  app.delete(
    `${path}/:id/tags`,
    described('member', `Delete the tags of a ${singular}`, { status: 204 }),
    async (request, reply) => {
      await retag(request, () => []);
      return reply.code(204).send();
    },
  );
  app.get(
    `${path}/:id/tags/:tag`,
    described('reader', `Check whether a ${singular} has a tag`, { status: 204 }),
    async (request, reply) => {
      if (!(await visibleRecord(of, store, request)).tags.includes(tagIn(request))) throw noTag(request);
      return reply.code(204).send();
    },
  );
  app.put(
    `${path}/:id/tags/:tag`,
    described('member', `Add a tag to a ${singular}`, { status: 201 }),
    async (request, reply) => {
      await retag(request, (tags) => (tags.includes(tagIn(request)) ? tags : [...tags, tagIn(request)]));
      return reply.code(201).send();
    },
  );
  app.delete(
    `${path}/:id/tags/:tag`,
    described('member', `Delete a tag of a ${singular}`, { status: 204 }),
    async (request, reply) => {
      await retag(request, (tags) => {
        if (!tags.includes(tagIn(request))) throw noTag(request);
        return tags.filter((tag) => tag !== tagIn(request));
      });
      return reply.code(204).send();
    },
  );
}
