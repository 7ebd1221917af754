/**
 * `/v1/runbooks/{runbook}/traits`: a runbook may be used on nodes that have one of its traits. API 1.112; before that,
 * the name of a runbook is its only trait.
 */
import { badTrait, MAX_TRAITS } from '@ingot/shared/ironic/traits.ts';
import type { FastifyRequest } from 'fastify';
import { IngotError } from '../../../domain/errors.ts';
import { isJsonObject } from '../../../domain/json.ts';
import type { Runbook } from '../../../domain/resources.ts';
import type { App } from '../../kit/app.ts';
import { baseUrlOf } from '../../kit/base-url.ts';
import type { CollectionRoutes } from '../../kit/collection.ts';
import { objectSchema } from '../../kit/field-schema.ts';
import type { ApiDeps } from '../deps.ts';

export const RUNBOOK_TRAITS_SINCE = 112;
const LIST_URL = '/v1/runbooks/:ident/traits';
const TRAITS = { type: 'array', items: { type: 'string' } };
const LIST_DOC = { summary: 'List the traits of a runbook', answer: objectSchema({ traits: TRAITS }) };
const REPLACE_DOC = {
  summary: 'Set the traits of a runbook',
  status: 204,
  body: { ...objectSchema({ traits: TRAITS }), additionalProperties: false },
} as const;

type Named = { Params: { ident: string; trait: string } };
const invalid = (text: string): IngotError => new IngotError('invalidParameter', text);

export function registerRunbookTraits(
  app: App,
  { store, config, now }: ApiDeps,
  runbooks: Pick<CollectionRoutes<Runbook, Record<string, never>>, 'find'>,
): void {
  const since = (doc: typeof LIST_DOC | typeof REPLACE_DOC | { summary: string; status: 204 }) => ({
    config: { since: RUNBOOK_TRAITS_SINCE, doc },
  });
  const found = (request: FastifyRequest) =>
    runbooks.find(request, (request.params as Named['Params']).ident);

  /** Reads and writes in one transaction, so that no concurrent change is lost. */
  async function change(request: FastifyRequest, next: (traits: readonly string[]) => readonly string[]) {
    const { uuid } = await found(request);
    return store.transaction(async ({ runbooks: stored }) => {
      const traits = checked(next((await stored.get(uuid)).traits));
      return stored.update(uuid, { traits }, now());
    });
  }

  function checked(wanted: readonly string[]): readonly string[] {
    const traits = [...new Set(wanted)];
    for (const trait of traits) {
      const reason = badTrait(trait);
      if (reason !== undefined) throw invalid(`'${trait.slice(0, 80)}' is no trait: it ${reason}.`);
    }
    if (traits.length > MAX_TRAITS) {
      throw invalid(`A runbook has at most ${MAX_TRAITS} traits, not ${traits.length}.`);
    }
    return traits;
  }

  app.get(LIST_URL, since(LIST_DOC), async (request) => ({
    traits: (await found(request)).traits.toSorted(),
  }));

  app.put(LIST_URL, since(REPLACE_DOC), async (request, reply) => {
    const { body } = request;
    const traits = isJsonObject(body) && Object.keys(body).length === 1 ? body['traits'] : undefined;
    if (!Array.isArray(traits) || !traits.every((trait) => typeof trait === 'string')) {
      throw invalid('Schema error for traits: the body must be {"traits": [<trait>, ...]}.');
    }
    await change(request, () => traits);
    return reply.code(204).send();
  });

  app.delete(
    LIST_URL,
    since({ summary: 'Take all traits off a runbook', status: 204 }),
    async (request, reply) => {
      await change(request, () => []);
      return reply.code(204).send();
    },
  );

  app.put<Named>(
    `${LIST_URL}/:trait`,
    since({ summary: 'Give a runbook a trait', status: 204 }),
    async (request, reply) => {
      const { ident, trait } = request.params;
      if (request.body != null) throw invalid('No body should be provided when adding a trait.');
      await change(request, (traits) => [...traits, trait]);
      const base = baseUrlOf(request, config.publicEndpoint);
      return reply.code(204).header('Location', `${base}/v1/runbooks/${ident}/traits/${trait}`).send();
    },
  );

  app.delete<Named>(
    `${LIST_URL}/:trait`,
    since({ summary: 'Take a trait off a runbook', status: 204 }),
    async (request, reply) => {
      await change(request, (traits) => traits.filter((one) => one !== request.params.trait));
      return reply.code(204).send();
    },
  );
}
