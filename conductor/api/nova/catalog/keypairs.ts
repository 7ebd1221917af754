/**
 * Key pairs of users: import, generate, show, delete. Nova's /os-keypairs. Only the public key is stored.
 */

import { randomUUID } from 'node:crypto';
import type { FastifyRequest } from 'fastify';
import type { Keypair } from '../../../domain/compute.ts';
import { IngotError } from '../../../domain/errors.ts';
import type { JsonObject } from '../../../domain/json.ts';
import { listAll } from '../../../domain/store/page.ts';
import { newKeys } from '../../../servers/key-pairs/new-key-pair.ts';
import { described } from '../../cloud/cloud-route.ts';
import type { ComputeDeps } from '../../cloud/deps.ts';
import type { App } from '../../kit/app.ts';
import { object, oneOf, optional, since, text } from '../../kit/readers.ts';
import { PAGE, type PagedList, pageOf } from '../page.ts';
import { named, readBody, readQuery } from '../request.ts';
import { naiveTime } from '../time.ts';

/** First microversions of these fields. */
const TYPE = 2;
const USER_ID = 10;
const PAGES = 35;
/** From this microversion on, keys can only be imported. */
const NO_GENERATION = 92;

const NAME = named({
  pattern: /^[\w -]*$/,
  rule: 'Only expected characters: letters, digits, _, - and space',
});
const NAME_292 = named({
  pattern: /^[\w .@-]*$/,
  rule: 'Only expected characters: letters, digits, _, -, ., @ and space',
});
const MORE = {
  type: since(TYPE, optional(oneOf(['ssh', 'x509']))),
  user_id: since(USER_ID, optional(text({ min: 1, max: 255 }))),
};
const CREATE = object({ keypair: object({ ...MORE, name: NAME, public_key: optional(text()) }) });
const CREATE_292 = object({ keypair: object({ ...MORE, name: NAME_292, public_key: text() }) });
const OF_USER = { user_id: text({ max: 255 }) };
const LIST = { ...OF_USER, ...PAGE };
const PAGED: PagedList<Keypair> = { key: 'keypairs', path: 'os-keypairs', idOf: ({ name }) => name };

interface ByName {
  Params: { name: string };
}

export function keypairRoutes(app: App, { store, settings, now }: ComputeDeps): void {
  const { keypairs } = store.compute;

  async function find(request: FastifyRequest<ByName>): Promise<Keypair> {
    const { name } = request.params;
    const userId = userOf(request, readQuery(request, OF_USER).user_id);
    const [found] = await listAll(keypairs, { userId, name });
    if (found !== undefined) return found;
    throw new IngotError('notFound', `Keypair ${name.slice(0, 255)} not found for user ${userId}`);
  }

  app.get(
    '/os-keypairs',
    described('reader', 'List key pairs', { query: LIST, list: 'keypairs' }),
    async (request) => {
      const { minor } = request;
      const query = readQuery(request, LIST);
      const own = await listAll(keypairs, { userId: userOf(request, query.user_id) });
      const sorted = own.toSorted((a, b) => (a.name < b.name ? -1 : 1));
      if (minor < PAGES) return { keypairs: sorted.map((keypair) => ({ keypair: summary(keypair, minor) })) };
      const { page, links } = pageOf(request, settings, PAGED, query, sorted);
      return { keypairs: page.map((keypair) => ({ keypair: summary(keypair, minor) })), ...links };
    },
  );

  app.get<ByName>(
    '/os-keypairs/:name',
    described('reader', 'Show a key pair', { query: OF_USER, item: 'keypair' }),
    async (request) => ({
      keypair: detail(await find(request), request.minor),
    }),
  );

  app.post(
    '/os-keypairs',
    described('member', 'Create or import a key pair', { body: CREATE, status: 201, item: 'keypair' }),
    async (request, reply) => {
      const { minor } = request;
      const { keypair: asked } = readBody(request, minor >= NO_GENERATION ? CREATE_292 : CREATE);
      const userId = userOf(request, asked.user_id);
      const { name, type = 'ssh', public_key: given } = asked;
      const { privateKey, ...key } = await newKeys(type, given);
      const keypair = await store.transaction(async ({ compute }) => {
        if ((await listAll(compute.keypairs, { userId, name })).length > 0)
          throw new IngotError('conflict', `Key pair '${name}' already exists.`);
        return compute.keypairs.create({ uuid: randomUUID(), userId, name, ...key }, now());
      });
      return reply.code(minor < TYPE ? 200 : 201).send({
        keypair: {
          ...summary(keypair, minor),
          user_id: userId,
          ...(privateKey === undefined ? {} : { private_key: privateKey }),
        },
      });
    },
  );

  app.delete<ByName>(
    '/os-keypairs/:name',
    described('member', 'Delete a key pair', { query: OF_USER, status: 204 }),
    async (request, reply) => {
      await keypairs.delete((await find(request)).uuid);
      return reply.code(request.minor < TYPE ? 202 : 204).send();
    },
  );
}

/** Only administrators may name other users. Throws forbidden. */
function userOf({ tenant, minor, method }: FastifyRequest, asked: string | undefined): string {
  if (asked === undefined || minor < USER_ID || asked === tenant.userId) return tenant.userId;
  if (tenant.isAdmin) return asked;
  throw new IngotError(
    'forbidden',
    `Policy doesn't allow ${method} of key pairs of another user to be performed.`,
  );
}

function summary({ name, publicKey, fingerprint, type }: Keypair, minor: number): JsonObject {
  return { name, public_key: publicKey, fingerprint, ...(minor >= TYPE ? { type } : {}) };
}

function detail(keypair: Keypair, minor: number): JsonObject {
  return {
    ...summary(keypair, minor),
    user_id: keypair.userId,
    id: keypair.id,
    created_at: naiveTime(keypair.createdAt),
    updated_at: keypair.updatedAt && naiveTime(keypair.updatedAt),
    deleted: false,
    deleted_at: null,
  };
}
