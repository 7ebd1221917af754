/**
 * The parser of POST /servers: from the body to a request in which everything that it names exists and fits together.
 * Errors have Nova's texts. Nothing is stored here.
 */
import type { FastifyRequest } from 'fastify';
import { IngotError } from '../../../domain/errors.ts';
import { listAll } from '../../../domain/store/page.ts';
import { requestableZones } from '../../../servers/places/zones.ts';
import { QUOTAS } from '../../../servers/quotas.ts';
import { type ServerRequest, serverFlavor } from '../../../servers/server-request.ts';
import type { ComputeDeps } from '../../cloud/deps.ts';
import { generatePassword } from './admin-password.ts';
import { imageRefOf } from './boot-source.ts';
import type { CreateBody, CreateServer } from './create-body.ts';
import { findFlavor, findGroup, findKeypair, findUsableImage, keyOf } from './named-things.ts';
import { parseNetworks } from './requested-networks.ts';

const wrong = (message: string): IngotError => new IngotError('invalidParameter', message);

export async function parseCreate(
  body: CreateBody,
  request: FastifyRequest,
  deps: ComputeDeps,
): Promise<ServerRequest> {
  const { server } = body;
  const { tenant, minor } = request;
  const hints = body['os:scheduler_hints'] ?? body['OS-SCH-HNT:scheduler_hints'] ?? {};
  if (minor >= 37 && server.networks === undefined) throw wrong("'networks' is a required property");
  const counts = countsOf(server);
  checkSecurityGroups(server);
  const requestedNetworks = parseNetworks(server.networks, counts.maxCount);
  const place = await placeOf(server.availability_zone, request, deps);
  const flavor = await findFlavor(server.flavorRef, tenant, deps);
  const image = await findUsableImage(imageRefOf(server), flavor, tenant, deps);
  const keypair = server.key_name === undefined ? null : await findKeypair(server.key_name, tenant, deps);
  const group = await findGroup(hints['group'], tenant, deps);
  await deps.networks.check(requestedNetworks, tenant, counts.maxCount);
  return {
    tenant,
    requestId: request.id,
    name: server.name,
    description: minor >= 19 ? (server.description ?? null) : server.name,
    accessIpv4: server.accessIPv4 ?? null,
    accessIpv6: server.accessIPv6 ?? null,
    flavor: serverFlavor(flavor),
    imageUuid: image.uuid,
    ...keyOf(keypair),
    ...place,
    serverGroupUuid: group?.uuid ?? null,
    schedulerHints: hints,
    requestedNetworks,
    metadata: server.metadata ?? {},
    tags: [...new Set(server.tags ?? [])],
    // there is no metadata service: without one the server would know neither its name nor its keys
    hasConfigDrive: server.config_drive ?? true,
    userData: server.user_data ?? null,
    personality: server.personality ?? [],
    adminPass: server.adminPass ?? generatePassword(),
    ...counts,
  };
}

/** Clients that use no security groups send `default`. Throws invalidParameter. */
function checkSecurityGroups({ security_groups: asked = [] }: CreateServer): void {
  const other = asked.find(({ name = 'default' }) => name !== 'default');
  if (other === undefined) return;
  throw wrong(
    `Security group ${other.name} is not found: security groups are not supported by bare metal, nothing here filters what reaches a machine.`,
  );
}

function countsOf(server: CreateServer): Pick<ServerRequest, 'minCount' | 'maxCount'> {
  const minCount = server.min_count ?? 1;
  const maxCount = server.max_count ?? minCount;
  if (minCount > maxCount) throw wrong('min_count must be <= max_count');
  if (maxCount > QUOTAS.serversPerRequest) {
    throw new IngotError(
      'forbidden',
      `Quota exceeded for instances: Requested ${maxCount}, but one request may ask for ${QUOTAS.serversPerRequest} instances`,
    );
  }
  return { minCount, maxCount };
}

/** `zone`, and for administrators `zone:host`, `zone:host:node` and `zone::node`. */
async function placeOf(
  asked: string | undefined,
  request: FastifyRequest,
  deps: ComputeDeps,
): Promise<Pick<ServerRequest, 'availabilityZone' | 'forcedPlace'>> {
  const [zone = '', host = '', nodename = '', ...more] = (asked ?? '').split(':');
  if (more.length > 0) throw wrong('Unable to parse availability_zone');
  const isForced = host !== '' || nodename !== '';
  if (isForced && !request.tenant.isAdmin) {
    throw new IngotError(
      'forbidden',
      "Policy doesn't allow os_compute_api:servers:create:forced_host to be performed.",
    );
  }
  if (zone !== '') {
    const aggregates = await listAll(deps.store.compute.aggregates, {});
    if (!requestableZones(aggregates, deps.settings.defaultAvailabilityZone).has(zone)) {
      throw wrong('The requested availability zone is not available');
    }
  }
  return {
    availabilityZone: zone === '' ? null : zone,
    forcedPlace: isForced ? { host: host || null, nodename: nodename || null } : null,
  };
}
