/**
 * `/v1/nodes/{node}/traits`. API 1.37. Older requests get 406 for GET, 405 for PUT and 404 for DELETE, as in Ironic,
 * where these versions treat `traits` as a field of the node.
 */

import { badTrait, MAX_TRAITS } from '@ingot/shared/ironic/traits.ts';
import type { FastifyRequest } from 'fastify';
import { IngotError } from '../../../domain/errors.ts';
import { isJsonObject } from '../../../domain/json.ts';
import type { App } from '../../kit/app.ts';
import { baseUrlOf } from '../../kit/base-url.ts';
import { objectSchema } from '../../kit/field-schema.ts';
import { requireVersion } from '../../kit/microversion.ts';
import type { RouteDoc } from '../../kit/route-doc.ts';
import type { ApiDeps } from '../deps.ts';
import { nodeOf } from '../node-lookup.ts';

const SINCE = 37;
const TRAITS = { type: 'array', items: { type: 'string', maxLength: 255 } };
const LIST_DOC = { summary: 'List traits', since: SINCE, answer: objectSchema({ traits: TRAITS }) };
const SET_DOC: RouteDoc = {
  summary: 'Set all traits',
  status: 204,
  body: { ...objectSchema({ traits: TRAITS }), additionalProperties: false },
};
const PUT_CONFIG = { since: SINCE, tooNew: 405 } as const;
const DELETE_CONFIG = { since: SINCE } as const;
const changeDoc = (summary: string) => ({ summary, status: 204 }) as const;
const URL = '/v1/nodes/:node/traits';
type Params = { Params: { node: string; trait: string } };

const invalid = (text: string): IngotError => new IngotError('invalidParameter', text);

export function registerNodeTraits(app: App, deps: ApiDeps): void {
  const { engine, store, config } = deps;

  async function change(request: FastifyRequest, next: (traits: readonly string[]) => readonly string[]) {
    const { uuid } = await nodeOf(store.nodes, request);
    return engine.updateNode(uuid, 'traits', (node) => ({ traits: checked(next(node.traits)) }));
  }

  app.get(URL, { config: { doc: LIST_DOC } }, async (request) => {
    requireVersion(request, SINCE, 'Traits');
    return { traits: (await nodeOf(store.nodes, request)).traits.toSorted() };
  });

  app.put(URL, { config: { ...PUT_CONFIG, doc: SET_DOC } }, async (request, reply) => {
    const traits = traitsIn(request.body);
    await change(request, () => traits);
    return reply.code(204).send();
  });

  app.put<Params>(
    `${URL}/:trait`,
    { config: { ...PUT_CONFIG, doc: changeDoc('Add a trait') } },
    async (request, reply) => {
      const { trait } = request.params;
      if (isJsonObject(request.body) && Object.keys(request.body).length > 0) {
        throw invalid('No body is expected: the trait to add is the last word of the path.');
      }
      const { uuid } = await change(request, (traits) => [...traits, trait]);
      const base = baseUrlOf(request, config.publicEndpoint);
      return reply.code(204).header('Location', `${base}/v1/nodes/${uuid}/traits/${trait}`).send();
    },
  );

  app.delete(
    URL,
    { config: { ...DELETE_CONFIG, doc: changeDoc('Take all traits away') } },
    async (request, reply) => {
      await change(request, () => []);
      return reply.code(204).send();
    },
  );

  app.delete<Params>(
    `${URL}/:trait`,
    { config: { ...DELETE_CONFIG, doc: changeDoc('Take a trait away') } },
    async (request, reply) => {
      const { node, trait } = request.params;
      await change(request, (traits) => {
        if (traits.includes(trait)) return traits.filter((one) => one !== trait);
        throw new IngotError('notFound', `Node ${node} doesn't have the trait '${trait}'.`);
      });
      return reply.code(204).send();
    },
  );
}

/** The traits of the body `{"traits": [...]}`. Throws invalidParameter for any other body. */
function traitsIn(body: unknown): string[] {
  const traits = isJsonObject(body) ? body['traits'] : undefined;
  const only = isJsonObject(body) && Object.keys(body).every((name) => name === 'traits');
  if (only && Array.isArray(traits) && traits.every((trait) => typeof trait === 'string')) return traits;
  throw invalid('Schema error for traits: the body must be {"traits": [<trait>, ...]}.');
}

function checked(traits: readonly string[]): string[] {
  for (const trait of traits) {
    const reason = badTrait(trait);
    if (reason !== undefined) throw invalid(`Trait '${trait.slice(0, 80)}' ${reason}.`);
  }
  const once = [...new Set(traits)];
  if (once.length <= MAX_TRAITS) return once;
  throw invalid(`A node has at most ${MAX_TRAITS} traits, not ${once.length}.`);
}
