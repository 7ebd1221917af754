/**
 * Which nodes, and which resources that belong to them, a caller may see. A node that the caller may not see is
 * answered with 404, like a missing node.
 *
 * Requests of the ramdisk have no caller and see everything.
 */
import type { FastifyRequest } from 'fastify';
import { IngotError } from '../../../domain/errors.ts';
import type { Node } from '../../../domain/node.ts';
import { allows, type Owned, projectOf } from '../../../domain/policy.ts';
import type { Recorded } from '../../../domain/resources.ts';
import type { NodeStore } from '../../../domain/store/nodes.ts';
import { forbidden } from './refusals.ts';

export function seesNode({ caller }: FastifyRequest, node: Node): boolean {
  return caller === null || allows(caller, 'node:get', node);
}

/**
 * Public records are visible to everyone. Other records are visible to their owner or, if they have no field `owner`,
 * to callers who see their node. Records with neither `owner` nor `nodeUuid` are visible to everyone.
 */
export async function sees(request: FastifyRequest, nodes: NodeStore, record: Recorded): Promise<boolean> {
  const { caller } = request;
  if (caller === null || projectOf(caller) === undefined) return true;
  const { owner, nodeUuid } = record as Recorded & Partial<Owned> & { readonly nodeUuid?: string | null };
  if ('public' in record && record.public === true) return true;
  if (owner !== undefined) return allows(caller, 'allocation:get', { owner });
  if (nodeUuid === undefined) return true;
  const node = nodeUuid === null ? undefined : await nodes.find(nodeUuid);
  return node !== undefined && seesNode(request, node);
}

/**
 * The project to which a list is limited; undefined for the whole list. `asked` is the project in the query. Throws
 * forbidden if the caller has another project.
 */
export function listedProject({ caller }: FastifyRequest, asked?: string): string | undefined {
  const own = caller === null ? undefined : projectOf(caller);
  if (own === undefined) return asked;
  if (asked !== undefined && asked !== own) throw forbidden('node:list_all');
  return own;
}

/** The owner of the resource that this request creates: with a token of a project, that project. */
export function ownerFor({ caller }: FastifyRequest, given: string | null | undefined): string | null {
  const own = caller === null ? undefined : projectOf(caller);
  if (own === undefined) return given ?? null;
  if (given == null || given === own) return own;
  throw new IngotError(
    'forbidden',
    'With a token of a project, the owner can be no other than that project: leave "owner" out.',
  );
}
