/**
 * From the `{node}` of a path to the node: uuid, or name from API 1.5 on. One that the caller may not see is not there.
 */
import { isLogicalName, isUuid } from '@ingot/shared/ironic/identifiers.ts';
import type { FastifyRequest } from 'fastify';
import { IngotError, notFound } from '../../domain/errors.ts';
import type { Node } from '../../domain/node.ts';
import type { Chassis } from '../../domain/resources.ts';
import type { NodeStore } from '../../domain/store/nodes.ts';
import type { RecordStore } from '../../domain/store/records.ts';
import { seesNode } from './auth/visibility.ts';

const NAMES_SINCE = 5;
/** Names are taken as they are. */
const NO_SUFFIX_SINCE = 91;

export const nodeNotFound = (ident: string): IngotError => notFound('Node', ident);

/** Throws invalidParameter for something that can be neither, notFound. */
export async function findNode(nodes: NodeStore, request: FastifyRequest, ident: string): Promise<Node> {
  if (isUuid(ident)) {
    const node = await nodes.find(ident.toLowerCase());
    if (node === undefined || !seesNode(request, node)) throw nodeNotFound(ident);
    return node;
  }
  if (request.minor < NAMES_SINCE) throw nodeNotFound(ident);
  if (!isLogicalName(ident)) {
    throw new IngotError('invalidParameter', `Expected a logical name or UUID but received ${ident}.`);
  }
  // Old clients append a format suffix; a node really named so goes first.
  const node =
    (await nodes.find(ident)) ??
    (request.minor < NO_SUFFIX_SINCE && ident.endsWith('.json')
      ? await nodes.find(ident.slice(0, -'.json'.length))
      : undefined);
  if (node === undefined || !seesNode(request, node)) throw nodeNotFound(ident);
  return node;
}

/** The node named by the `:node` parameter of the route. */
export function nodeOf(nodes: NodeStore, request: FastifyRequest): Promise<Node> {
  return findNode(nodes, request, (request.params as { node: string }).node);
}

/** A resource belongs to a node that exists; a body that names another is a bad request, not a missing page. */
export async function ownerNode(nodes: NodeStore, uuid: unknown): Promise<string> {
  const node = await nodes.find(String(uuid));
  if (node !== undefined) return node.uuid;
  throw new IngotError('invalidParameter', `Node ${String(uuid)} could not be found.`);
}

/** Throws invalidParameter for a chassis that is not there. */
export async function checkChassis(chassis: RecordStore<Chassis>, uuid: unknown): Promise<void> {
  if (uuid == null || (await chassis.find(String(uuid))) !== undefined) return;
  throw new IngotError('invalidParameter', `Chassis ${String(uuid)} could not be found.`);
}
