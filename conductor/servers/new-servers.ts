/**
 * The records that a request for servers begins with.
 */
import { randomBytes, randomUUID } from 'node:crypto';
import type { Server } from '../domain/compute.ts';
import type { NewRecord } from '../domain/resources.ts';
import type { ServerRequest } from './instances.ts';

const RESERVATION_BYTES = 4;
const MAX_LABEL = 63;

/** With everything but what the store adds: these can be scheduled before they are stored. */
export type UnstoredServer = Omit<Server, 'id' | 'createdAt' | 'updatedAt'>;

export function newServers(request: ServerRequest): (UnstoredServer & NewRecord<Server>)[] {
  const { tenant, flavor, keypair, maxCount } = request;
  const reservationId = `r-${randomBytes(RESERVATION_BYTES).toString('hex')}`;
  return Array.from({ length: maxCount }, (_, launchIndex) => {
    const uuid = randomUUID();
    // Nova: servers of one request are numbered from 1
    const name = maxCount === 1 ? request.name : `${request.name}-${launchIndex + 1}`;
    const given = request.hostname;
    const hostname =
      given === undefined ? hostnameOf(name, uuid) : maxCount === 1 ? given : `${given}-${launchIndex + 1}`;
    const {
      uuid: flavorId,
      name: flavorName,
      vcpus,
      ramMb,
      rootGb,
      ephemeralGb,
      swapMb,
      extraSpecs,
    } = flavor;
    return {
      uuid,
      projectId: tenant.projectId,
      userId: tenant.userId,
      name,
      hostname,
      description: request.description,
      vmState: 'building',
      taskState: 'scheduling',
      powerState: 0,
      host: null,
      nodeUuid: null,
      flavor: { uuid: flavorId, name: flavorName, vcpus, ramMb, rootGb, ephemeralGb, swapMb, extraSpecs },
      imageUuid: request.imageUuid,
      keyName: keypair?.name ?? null,
      publicKey: keypair?.publicKey ?? null,
      availabilityZone: request.availabilityZone,
      accessIpv4: request.accessIpv4 ?? null,
      accessIpv6: request.accessIpv6 ?? null,
      forcedPlace: request.forcedPlace,
      serverGroupUuid: request.serverGroupUuid,
      schedulerHints: request.schedulerHints,
      requestedNetworks: request.requestedNetworks,
      metadata: request.metadata,
      tags: request.tags,
      hasConfigDrive: request.hasConfigDrive,
      userData: request.userData,
      personality: request.personality,
      adminPass: request.adminPass,
      isLocked: false,
      lockedReason: null,
      fault: null,
      tried: [],
      alternates: [],
      reservationId,
      launchIndex,
      minCount: request.minCount,
      launchedAt: null,
      terminatedAt: null,
    };
  });
}

/** A name as one label of a host name (RFC 1123), as Nova makes it. */
function hostnameOf(name: string, uuid: string): string {
  const label = name
    .toLowerCase()
    .replace(/[ _.]/g, '-')
    .replace(/[^a-z0-9-]/g, '')
    .slice(0, MAX_LABEL)
    .replace(/^-+|-+$/g, '');
  return label === '' ? `server-${uuid}` : label;
}
