/**
 * Finds the node that the `{node}` of a path names: by UUID or, since API 1.5, by name. A node that the caller may not
 * see is treated as missing.
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
/** Since this version a suffix `.json` is part of the name. */
const NO_SUFFIX_SINCE = 91;

export const nodeNotFound = (ident: string): IngotError => notFound('Node', ident);

/** Throws notFound, and invalidParameter for a text that is neither a UUID nor a possible name. */
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
  // Old clients append the suffix `.json`. A node whose name has that suffix takes precedence.
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

/** UUID of the node in a body. Throws invalidParameter for a missing node, because only the path gives notFound. */
export async function ownerNode(nodes: NodeStore, uuid: unknown): Promise<string> {
  const node = await nodes.find(String(uuid));
  if (node !== undefined) return node.uuid;
  throw new IngotError('invalidParameter', `Node ${String(uuid)} could not be found.`);
}

/** Throws invalidParameter for a missing chassis. */
export async function checkChassis(chassis: RecordStore<Chassis>, uuid: unknown): Promise<void> {
  if (uuid == null || (await chassis.find(String(uuid))) !== undefined) return;
  throw new IngotError('invalidParameter', `Chassis ${String(uuid)} could not be found.`);
}
