/**
 * The network, subnet or port in the path of a request, if the caller may see or change it.
 */

import type { FastifyRequest } from 'fastify';
import type { Store } from '../../domain/store/store.ts';
import { refused } from '../../network-service/network-error.ts';
import type { Collection, Tagged } from './collection.ts';

export const idIn = ({ params }: FastifyRequest): string => (params as { readonly id: string }).id;

/** Throws 404 also for what the caller may not see. */
export async function visibleRecord<T extends Tagged>(
  of: Collection<T>,
  tx: Store,
  request: FastifyRequest,
): Promise<T> {
  const id = idIn(request);
  const record = await of.records(tx).find(id);
  if (record === undefined || !(await of.isVisible(tx, request.tenant))(record)) throw of.notFound(id);
  return record;
}

/** Throws unless the caller may change it. */
export async function changeableRecord<T extends Tagged>(
  of: Collection<T>,
  tx: Store,
  request: FastifyRequest,
): Promise<T> {
  const record = await visibleRecord(of, tx, request);
  if (of.writes !== 'admin' || request.tenant.isAdmin) return record;
  throw refused.forbidden(
    `Policy doesn't allow ${request.method} of ${of.plural} to be performed: it needs the role admin.`,
  );
}
