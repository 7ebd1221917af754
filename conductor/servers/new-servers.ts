/**
 * The records of new servers, made from a request.
 */
import { randomBytes, randomUUID } from 'node:crypto';
import type { Server } from '../domain/compute.ts';
import type { ServerRequest } from './server-request.ts';

const RESERVATION_BYTES = 4;
const MAX_LABEL = 63;

/** A server before it is stored, for requests that are only explained. */
export type UnstoredServer = Omit<Server, 'id' | 'createdAt' | 'updatedAt'>;

export function newServers(request: ServerRequest): UnstoredServer[] {
  const { tenant, requestId: _, maxCount, ...requested } = request;
  const reservationId = `r-${randomBytes(RESERVATION_BYTES).toString('hex')}`;
  return Array.from({ length: maxCount }, (_, launchIndex) => {
    const uuid = randomUUID();
    // Nova: servers of one request are numbered from 1
    const name = maxCount === 1 ? request.name : `${request.name}-${launchIndex + 1}`;
    return {
      ...requested,
      uuid,
      projectId: tenant.projectId,
      userId: tenant.userId,
      name,
      hostname: hostnameOf(name, uuid),
      vmState: 'building',
      taskState: 'scheduling',
      powerState: 0,
      host: null,
      nodeUuid: null,
      isLocked: false,
      lockedReason: null,
      fault: null,
      tried: [],
      alternates: [],
      reservationId,
      launchIndex,
      launchedAt: null,
      terminatedAt: null,
    };
  });
}

/** A name as one label of a host name (RFC 1123), converted as in Nova. */
function hostnameOf(name: string, uuid: string): string {
  const label = name
    .toLowerCase()
    .replace(/[ _.]/g, '-')
    .replace(/[^a-z0-9-]/g, '')
    .slice(0, MAX_LABEL)
    .replace(/^-+|-+$/g, '');
  return label === '' ? `server-${uuid}` : label;
}
