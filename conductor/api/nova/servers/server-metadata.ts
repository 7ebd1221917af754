/**
 * A server's metadata, as a whole and by item: /servers/{id}/metadata.
 */

import type { FastifyRequest } from 'fastify';
import type { Server } from '../../../domain/compute.ts';
import { IngotError } from '../../../domain/errors.ts';
import { described } from '../../cloud/cloud-route.ts';
import type { ComputeDeps } from '../../cloud/deps.ts';
import type { App } from '../../kit/app.ts';
import { mapped, object, type Reader } from '../../kit/readers.ts';
import { readBody } from '../request.ts';
import { changeServer } from './server-change.ts';
import { refuseLocked, requireState, serverOf } from './server-lookup.ts';
import { checkMetadataCount, metadata } from './server-readers.ts';

type Metadata = Server['metadata'];

const ALL_BODY = object({ metadata });
const ITEM_BODY = object({ meta: only(metadata) });

export function serverMetadataRoutes(app: App, deps: ComputeDeps): void {
  const LIST = '/servers/:id/metadata';
  const ITEM = `${LIST}/:key`;

  const change = (
    request: FastifyRequest,
    what: string,
    next: (old: Metadata) => Metadata,
  ): Promise<Server> =>
    changeServer(deps, request, (server) => {
      refuseLocked(server, request);
      requireState(server, ['active', 'stopped'], what);
      const changed = next(server.metadata);
      checkMetadataCount(changed);
      return { metadata: changed };
    });

  app.get(
    LIST,
    described('reader', 'Show the metadata of a server', { item: 'metadata' }),
    async (request) => ({ metadata: (await serverOf(deps, request)).metadata }),
  );

  app.post(
    LIST,
    described('member', 'Add to the metadata of a server', { body: ALL_BODY, item: 'metadata' }),
    async (request) => {
      const asked = readBody(request, ALL_BODY).metadata;
      const changed = await change(request, 'update metadata', (old) => ({ ...old, ...asked }));
      return { metadata: changed.metadata };
    },
  );

  app.put(
    LIST,
    described('member', 'Replace the metadata of a server', { body: ALL_BODY, item: 'metadata' }),
    async (request) => {
      const asked = readBody(request, ALL_BODY).metadata;
      const changed = await change(request, 'update metadata', () => asked);
      return { metadata: changed.metadata };
    },
  );

  app.get(
    ITEM,
    described('reader', 'Show one item of the metadata of a server', { item: 'meta' }),
    async (request) => {
      const key = keyOf(request);
      return { meta: { [key]: itemOf(await serverOf(deps, request), key) } };
    },
  );

  app.put(
    ITEM,
    described('member', 'Set one item of the metadata of a server', { body: ITEM_BODY, item: 'meta' }),
    async (request) => {
      const { meta } = readBody(request, ITEM_BODY);
      if (!Object.hasOwn(meta, keyOf(request))) {
        throw new IngotError('invalidParameter', 'Request body and URI mismatch');
      }
      await change(request, 'update metadata', (old) => ({ ...old, ...meta }));
      return { meta };
    },
  );

  app.delete(
    ITEM,
    described('member', 'Delete one item of the metadata of a server', { status: 204 }),
    async (request, reply) => {
      const key = keyOf(request);
      itemOf(await serverOf(deps, request), key);
      await change(request, 'delete metadata', (old) =>
        Object.fromEntries(Object.entries(old).filter(([name]) => name !== key)),
      );
      return reply.code(204).send();
    },
  );
}

const keyOf = ({ params }: FastifyRequest): string => (params as { readonly key: string }).key;

function itemOf({ metadata: items }: Server, key: string): string {
  const item = Object.hasOwn(items, key) ? items[key] : undefined;
  if (item === undefined) throw new IngotError('notFound', 'Metadata item was not found');
  return item;
}

/** Exactly one item. */
function only(reader: Reader<Metadata>): Reader<Metadata> {
  return mapped(reader, (items, at) =>
    Object.keys(items).length === 1 ? items : at.refuse(items, 'there must be one item in it'),
  );
}
