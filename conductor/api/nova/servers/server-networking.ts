/**
 * A server's addresses and interfaces: /servers/{id}/ips and /servers/{id}/os-interface.
 */

import type { FastifyRequest } from 'fastify';
import type { NetworkPort, Server } from '../../../domain/compute.ts';
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
/** Answers show tags. */
const TAGS_SINCE = 70;

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
      return { interfaceAttachments: addresses.map(({ port }) => attachment(port, server, request)) };
    },
  );

  app.get(
    '/servers/:id/os-interface/:portId',
    described('reader', 'Show an interface of a server', { item: 'interfaceAttachment' }),
    async (request) => {
      const server = await serverOf(deps, request);
      return { interfaceAttachment: attachment(await portOf(server, request), server, request) };
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
      const wanted = {
        ...(portId === undefined ? {} : { portId }),
        ...(networkId === undefined ? {} : { networkId }),
        ...(fixedIp === undefined ? {} : { fixedIp }),
      };
      const port = await deps.instances.attachInterface(server, wanted, askedBy(request));
      return { interfaceAttachment: attachment(port, server, request) };
    },
  );

  app.delete(
    '/servers/:id/os-interface/:portId',
    described('member', 'Detach an interface of a server', { status: 202 }),
    async (request, reply) => {
      const server = await serverOf(deps, request);
      const { uuid: portId } = await portOf(server, request);
      await deps.instances.detachInterface(server, portId, askedBy(request));
      return reply.code(202).send();
    },
  );

  async function portOf({ uuid: serverUuid }: Server, request: FastifyRequest): Promise<NetworkPort> {
    const { portId } = request.params as { readonly portId: string };
    const addresses = await deps.networks.addressesOf(serverUuid);
    const found = addresses.find(({ port }) => port.uuid === portId);
    if (found !== undefined) return found.port;
    throw new IngotError(
      'notFound',
      `Instance ${serverUuid} does not have a port with id ${portId.slice(0, 64)}`,
    );
  }
}

function attachment(port: NetworkPort, server: Server, { minor }: FastifyRequest): JsonObject {
  return {
    net_id: port.networkUuid,
    port_id: port.uuid,
    mac_addr: port.macAddress,
    port_state: port.status,
    fixed_ips: port.fixedIps.map(({ subnetId, ipAddress: address }) => ({
      subnet_id: subnetId,
      ip_address: address,
    })),
    ...(minor >= TAGS_SINCE ? { tag: tagOf(port, server) } : {}),
  };
}

/** As the request for the server named its port, or its network if it named that once. */
function tagOf({ uuid: portUuid, networkUuid }: NetworkPort, { requestedNetworks }: Server): string | null {
  if (typeof requestedNetworks === 'string') return null;
  const ofNetwork = requestedNetworks.filter(({ uuid: network }) => network === networkUuid);
  const named =
    requestedNetworks.find(({ port }) => port === portUuid) ??
    (ofNetwork.length === 1 ? ofNetwork[0] : undefined);
  return typeof named?.['tag'] === 'string' ? named['tag'] : null;
}
