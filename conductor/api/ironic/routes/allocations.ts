/**
 * `/v1/allocations` and `/v1/nodes/{node}/allocation`. API 1.52.
 */
import { randomUUID } from 'node:crypto';
import { isLogicalName } from '@ingot/shared/ironic/identifiers.ts';
import { ALLOCATION_FIELDS } from '@ingot/shared/ironic/resource-fields.ts';
import { badTrait } from '@ingot/shared/ironic/traits.ts';
import type { FastifyRequest } from 'fastify';
import { IngotError } from '../../../domain/errors.ts';
import type { Allocation, AllocationState, NewRecord } from '../../../domain/resources.ts';
import type { App } from '../../kit/app.ts';
import type { FieldValues } from '../../kit/resource-body.ts';
import { ownerFor, seesNode } from '../auth/visibility.ts';
import { registerCollection } from '../collection.ts';
import type { ApiDeps } from '../deps.ts';
import { nodeOf } from '../node-lookup.ts';

const SINCE = 52;
const PATCH_SINCE = 57;
const FILTERS = {
  node: { kind: 'text' },
  resource_class: { kind: 'text' },
  state: { kind: 'text' },
  owner: { kind: 'text', since: 60 },
} as const;

const invalid = (text: string): IngotError => new IngotError('invalidParameter', text);

export function registerAllocations(app: App, deps: ApiDeps): void {
  const { engine, store, now } = deps;

  /** UUID of the node that a body or a filter names. Throws invalidParameter for a missing node. */
  async function nodeUuidOf(request: FastifyRequest, ident: string): Promise<string> {
    const node = await store.nodes.find(ident);
    if (node !== undefined && seesNode(request, node)) return node.uuid;
    throw invalid(`Node ${ident} could not be found.`);
  }

  const allocations = registerCollection<Allocation, typeof FILTERS>(app, deps, {
    path: 'allocations',
    key: 'allocations',
    singular: 'allocation',
    since: SINCE,
    tooNewToChange: 405,
    patchSince: PATCH_SINCE,
    namesSince: SINCE,
    fields: ALLOCATION_FIELDS,
    listFields: null,
    required: [],
    hasDetailPath: false,
    detailSince: null,
    filters: FILTERS,
    store: store.allocations,

    filterOf: async (query, request) => ({
      ...(query.node === undefined ? {} : { nodeUuid: await nodeUuidOf(request, query.node) }),
      ...(query.resource_class === undefined ? {} : { resourceClass: query.resource_class }),
      ...(query.state === undefined ? {} : { state: query.state as AllocationState }),
      ...(query.owner === undefined ? {} : { owner: query.owner }),
    }),

    async create(values, request) {
      const { node, ...fields } = values;
      checkName(fields['name']);
      checkTraits(fields['traits']);
      const record = {
        ...fields,
        uuid: (values['uuid'] as string | undefined) ?? randomUUID(),
        ...(await candidates(request, fields)),
        owner: ownerFor(request, fields['owner'] as string | null | undefined),
      } as NewRecord<Allocation>;
      if (node !== undefined)
        return engine.backfillAllocation(record, await nodeUuidOf(request, String(node)));
      if (record.resourceClass == null) {
        throw new IngotError(
          'missingParameter',
          'A resource_class is required: which kind of node is wanted?',
        );
      }
      return engine.allocate(record);
    },

    async update({ uuid }, values) {
      checkName(values['name']);
      return store.allocations.update(uuid, values, now());
    },

    remove: (allocation) => engine.deallocate(allocation),
  });

  async function candidates(request: FastifyRequest, fields: FieldValues) {
    const named = fields['candidateNodes'] as readonly string[] | undefined;
    if (named === undefined) return {};
    return { candidateNodes: await Promise.all(named.map((ident) => nodeUuidOf(request, ident))) };
  }

  /** The allocation of the node in the path. */
  async function ofNode(request: FastifyRequest): Promise<Allocation> {
    const { uuid, allocationUuid } = await nodeOf(store.nodes, request);
    const allocation = allocationUuid === null ? undefined : await store.allocations.find(allocationUuid);
    if (allocation !== undefined) return allocation;
    throw new IngotError('notFound', `Node ${uuid} has no allocation.`);
  }

  const showDoc = { summary: 'Show the allocation of a node', answer: allocations.shape };
  app.get(
    '/v1/nodes/:node/allocation',
    { config: { since: SINCE, hidesPath: true, doc: showDoc } },
    async (request) => allocations.present(request, await ofNode(request)),
  );

  const deleteDoc = { summary: 'Delete the allocation of a node', status: 204 } as const;
  app.delete(
    '/v1/nodes/:node/allocation',
    { config: { since: SINCE, hidesPath: true, doc: deleteDoc } },
    async (request, reply) => {
      await engine.deallocate(await ofNode(request));
      return reply.code(204).send();
    },
  );
}

function checkName(name: unknown): void {
  if (typeof name !== 'string' || isLogicalName(name)) return;
  throw invalid(
    `Cannot use the name '${name}' for an allocation: a name has 1 to 255 letters, digits, "-", ".", "_" or "~".`,
  );
}

function checkTraits(traits: unknown): void {
  for (const trait of (traits ?? []) as readonly string[]) {
    const reason = badTrait(trait);
    if (reason !== undefined) throw invalid(`Trait '${trait.slice(0, 80)}' ${reason}.`);
  }
}
