/**
 * A server's addresses and interfaces: /servers/{id}/ips and /servers/{id}/os-interface.
 */

import type { FastifyRequest } from 'fastify';
import type { RequestedNetwork, Server } from '../../../domain/compute.ts';
import { IngotError } from '../../../domain/errors.ts';
import type { JsonObject } from '../../../domain/json.ts';
import type { ServerAddress } from '../../../network-service/server-networks.ts';
import { described } from '../../cloud/cloud-route.ts';
import type { ComputeDeps } from '../../cloud/deps.ts';
import type { App } from '../../kit/app.ts';
import { list, object, optional, since } from '../../kit/readers.ts';
import { readBody, uuid } from '../request.ts';
import { askedBy, serverOf } from './server-lookup.ts';
import { ipAddress, tag } from './server-readers.ts';
import { addressesView } from './server-view.ts';

const ATTACH_BODY = object({
  interfaceAttachment: optional(
    object({
      net_id: optional(uuid),
      port_id: optional(uuid),
      fixed_ips: optional(list(object({ ip_address: ipAddress() }), { min: 1, max: 1 })),
      tag: since(49, optional(tag)),
    }),
  ),
});
/** First microversion with tags in answers. */
const TAGS_SINCE = 70;

interface OfPort {
  Params: { id: string; portId: string };
}

export function serverNetworkingRoutes(app: App, deps: ComputeDeps): void {
  const addressesOf = async (request: FastifyRequest): Promise<readonly ServerAddress[]> =>
    deps.networks.addressesOf((await serverOf(deps, request)).uuid);

  app.get(
    '/servers/:id/ips',
    described('reader', 'List the addresses of a server', { item: 'addresses' }),
    async (request) => ({
      addresses: addressesView(await addressesOf(request), false),
    }),
  );

  app.get(
    '/servers/:id/ips/:label',
    described('reader', 'List the addresses of a server on a network'),
    async (request) => {
      const { label } = request.params as { readonly label: string };
      const shown = addressesView(await addressesOf(request), false);
      if (!Object.hasOwn(shown, label)) {
        throw new IngotError('notFound', 'Instance is not a member of specified network');
      }
      return { [label]: shown[label] };
    },
  );

  app.get(
    '/servers/:id/os-interface',
    described('reader', 'List the interfaces of a server', { list: 'interfaceAttachments' }),
    async (request) => {
      const server = await serverOf(deps, request);
      const addresses = await deps.networks.addressesOf(server.uuid);
      return { interfaceAttachments: addresses.map((address) => attachment(address, request)) };
    },
  );

  app.get<OfPort>(
    '/servers/:id/os-interface/:portId',
    described('reader', 'Show an interface of a server', { item: 'interfaceAttachment' }),
    async (request) => {
      const server = await serverOf(deps, request);
      return { interfaceAttachment: attachment(await addressOf(server, request.params.portId), request) };
    },
  );

  app.post(
    '/servers/:id/os-interface',
    described('member', 'Attach an interface to a server', {
      body: ATTACH_BODY,
      item: 'interfaceAttachment',
    }),
    async (request) => {
      const asked = readBody(request, ATTACH_BODY);
      const {
        net_id: networkId,
        port_id: portId,
        fixed_ips: fixedIps,
        tag: asTag,
      } = asked.interfaceAttachment ?? {};
      const fixedIp = fixedIps?.[0]?.ip_address;
      if (networkId !== undefined && portId !== undefined) {
        throw new IngotError('invalidParameter', 'Must not input both network_id and port_id');
      }
      if (fixedIp !== undefined && networkId === undefined) {
        throw new IngotError('invalidParameter', 'Must input network_id when request IP address');
      }
      const server = await serverOf(deps, request);
      if (asTag !== undefined) {
        throw new IngotError(
          'unsupported',
          'Tagged network interface attachment is not supported for this server instance.',
        );
      }
      const port = await deps.instances.attachInterface(
        server,
        networkOf(portId, networkId, fixedIp),
        askedBy(request),
      );
      return { interfaceAttachment: attachment(await addressOf(server, port.uuid), request) };
    },
  );

  app.delete<OfPort>(
    '/servers/:id/os-interface/:portId',
    described('member', 'Detach an interface of a server', { status: 202 }),
    async (request, reply) => {
      const server = await serverOf(deps, request);
      const { port } = await addressOf(server, request.params.portId);
      await deps.instances.detachInterface(server, port.uuid, askedBy(request));
      return reply.code(202).send();
    },
  );

  async function addressOf({ uuid: serverUuid }: Server, portId: string): Promise<ServerAddress> {
    const addresses = await deps.networks.addressesOf(serverUuid);
    const found = addresses.find(({ port }) => port.uuid === portId);
    if (found !== undefined) return found;
    throw new IngotError(
      'notFound',
      `Instance ${serverUuid} does not have a port with id ${portId.slice(0, 64)}`,
    );
  }
}

/** Default: the only network that the project may use. */
function networkOf(
  portUuid: string | undefined,
  networkUuid: string | undefined,
  fixedIp: string | undefined,
): RequestedNetwork | 'auto' {
  if (portUuid !== undefined) return { portUuid };
  if (networkUuid === undefined) return 'auto';
  return { networkUuid, ...(fixedIp === undefined ? {} : { fixedIp }) };
}

function attachment({ port, tag: asTag }: ServerAddress, { minor }: FastifyRequest): JsonObject {
  return {
    net_id: port.networkUuid,
    port_id: port.uuid,
    mac_addr: port.macAddress,
    port_state: port.status,
    fixed_ips: port.fixedIps.map(({ subnetId, ipAddress: address }) => ({
      subnet_id: subnetId,
      ip_address: address,
    })),
    ...(minor >= TAGS_SINCE ? { tag: asTag ?? null } : {}),
  };
}
