/**
 * Finds the node that the `parent_node` of a request names. API 1.83.
 */

import type { FastifyRequest } from 'fastify';
import { IngotError } from '../../domain/errors.ts';
import type { PatchOperation } from '../../domain/json-patch.ts';
import type { Node } from '../../domain/node.ts';
import type { ApiDeps } from './deps.ts';
import { findNode } from './node-lookup.ts';

/**
 * UUID of the node with the UUID or name `ident`. The caller must see the node, and its owner must be `owner`. Throws
 * invalidParameter, with the same text for a missing node.
 */
export async function parentUuid(
  { store }: ApiDeps,
  request: FastifyRequest,
  ident: unknown,
  { owner }: Pick<Node, 'owner'>,
): Promise<string> {
  const refusal = new IngotError(
    'invalidParameter',
    `Unable to apply the requested parent_node "${String(ident).slice(0, 64)}": it must be a node, of the same owner.`,
  );
  const found = await findNode(store.nodes, request, String(ident)).catch((error: unknown) => {
    if (error instanceof IngotError) throw refusal;
    throw error;
  });
  if (found.owner !== owner) throw refusal;
  return found.uuid;
}

/** The operations with the UUID of the parent in place of its name. */
export async function withParentUuid(
  deps: ApiDeps,
  request: FastifyRequest,
  node: Node,
  operations: readonly PatchOperation[],
): Promise<PatchOperation[]> {
  return Promise.all(
    operations.map(async (operation) => {
      if (operation.path !== '/parent_node' || operation.op === 'remove' || operation.value === null)
        return operation;
      return { ...operation, value: await parentUuid(deps, request, operation.value, node) };
    }),
  );
}
