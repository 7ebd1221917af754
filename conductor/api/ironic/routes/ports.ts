/**
 * `/v1/ports` and `/v1/nodes/{node}/ports`.
 */
import { randomUUID } from 'node:crypto';
import { isLogicalName, isUuid } from '@ingot/shared/ironic/identifiers.ts';
import { PORT_FIELDS, PORT_LIST_FIELDS } from '@ingot/shared/ironic/port-fields.ts';
import type { FastifyRequest } from 'fastify';
import { IngotError } from '../../../domain/errors.ts';
import type { JsonObject } from '../../../domain/json.ts';
import { badLocalLink, isVtepLink } from '../../../domain/local-link.ts';
import type { Port, PortPatch } from '../../../domain/node.ts';
import type { App } from '../../kit/app.ts';
import { requireVersion } from '../../kit/microversion.ts';
import type { FieldValues } from '../../kit/resource-body.ts';
import { registerCollection } from '../collection.ts';
import type { ApiDeps } from '../deps.ts';
import { macOf } from '../mac.ts';
import { findNode, nodeOf, ownerNode } from '../node-lookup.ts';

const PORTGROUPS_SINCE = 24;
const NODE_NAMES_SINCE = 5;
const PORT_NAMES_SINCE = 88;
const VTEP_SINCE = 90;
const NO_VTEP_SINCE = 105;
const DESCRIPTION_SINCE = 97;
export const CONDUCTOR_GROUPS_SINCE = 99;

export function registerPorts(app: App, deps: ApiDeps): void {
  const { engine, store } = deps;

  /** Rules between the fields of a port, on the values given. */
  async function checkedFields(
    request: FastifyRequest,
    values: FieldValues,
    nodeUuid: string,
    present?: Port,
  ): Promise<PortPatch> {
    const { uuid: _uuid, nodeUuid: given, nodeIdent: _ident, address, name, ...fields } = values;
    if (typeof name === 'string' && name !== '' && (!isLogicalName(name) || isUuid(name))) {
      throw new IngotError(
        'invalidParameter',
        `Cannot use the name '${name}' for a port: a name has 1 to 255 letters, digits, "-", ".", "_" or "~" and does not look like a UUID.`,
      );
    }
    if (fields['physicalNetwork'] === '') {
      throw new IngotError('invalidParameter', 'A non-empty value is required when setting physical_network');
    }
    const connection = (fields['localLinkConnection'] ?? {}) as JsonObject;
    if (isVtepLink(connection)) {
      requireVersion(request, VTEP_SINCE, 'A VTEP in local_link_connection');
      if (request.minor >= NO_VTEP_SINCE) {
        throw new IngotError(
          'notAcceptable',
          `A VTEP in local_link_connection ended with API 1.${NO_VTEP_SINCE - 1}.`,
        );
      }
    }
    const link = badLocalLink(connection);
    if (link !== undefined) {
      throw new IngotError('invalidParameter', `Schema error for local_link_connection: ${link}.`);
    }
    const { portgroupUuid = present?.portgroupUuid, pxeEnabled = present?.pxeEnabled ?? true } = fields;
    if (portgroupUuid != null) await checkPortgroup(String(portgroupUuid), nodeUuid, pxeEnabled === true);
    return {
      ...(fields as PortPatch),
      // '' is no name, and many may have none.
      ...(name === undefined ? {} : { name: name === '' ? null : (name as string | null) }),
      ...(address === undefined ? {} : { address: macOf(address) }),
      ...(given === undefined ? {} : { nodeUuid }),
    };
  }

  async function checkPortgroup(uuid: string, nodeUuid: string, pxeEnabled: boolean): Promise<void> {
    const portgroup = await store.portgroups.get(uuid);
    if (portgroup.nodeUuid !== nodeUuid) {
      throw new IngotError(
        'invalidParameter',
        `Port can not be in portgroup ${uuid}: that one is of node ${portgroup.nodeUuid}, the port of node ${nodeUuid}.`,
      );
    }
    if (portgroup.standalonePortsSupported || !pxeEnabled) return;
    throw new IngotError(
      'conflict',
      `Port group ${uuid} doesn't support standalone ports: a port with "pxe_enabled" can not be in it. Set pxe_enabled to false, or standalone_ports_supported of the port group to true.`,
    );
  }

  const ports = registerCollection<Port, typeof FILTERS>(app, deps, {
    path: 'ports',
    key: 'ports',
    singular: 'port',
    since: 1,
    fields: PORT_FIELDS,
    listFields: PORT_LIST_FIELDS,
    required: ['address'],
    namesSince: PORT_NAMES_SINCE,
    hasDetailPath: true,
    detailSince: 43,
    filters: FILTERS,
    store: store.ports,
    formAt: {
      local_link_connection: (minor) =>
        minor >= VTEP_SINCE && minor < NO_VTEP_SINCE
          ? undefined
          : ({ localLinkConnection: link }) => (isVtepLink(link) ? {} : link),
    },

    async filterOf(query, request) {
      const node = query.node_uuid ?? query.node;
      refuseGroupsWith(query.conductor_groups, [node, query.address, query.portgroup, query.shard]);
      if (node !== undefined && !isUuid(node)) requireVersion(request, NODE_NAMES_SINCE, 'A node name');
      return {
        ...(node === undefined ? {} : { nodeUuid: (await findNode(store.nodes, request, node)).uuid }),
        ...(query.address === undefined ? {} : { address: macOf(query.address) }),
        ...(query.portgroup === undefined
          ? {}
          : { portgroupUuid: (await store.portgroups.get(query.portgroup)).uuid }),
      };
    },

    async create(values, request) {
      const node = values['nodeUuid'] ?? values['nodeIdent'];
      if (node === undefined || (values['nodeUuid'] !== undefined && values['nodeIdent'] !== undefined)) {
        throw new IngotError(
          'missingParameter',
          "Schema error for port: 'node_uuid' is a required property, or 'node_ident' in its place",
        );
      }
      const nodeUuid = await ownerNode(store.nodes, node);
      const fields = await checkedFields(request, values, nodeUuid);
      const uuid = (values['uuid'] as string | undefined) ?? randomUUID();
      return engine.createPort({ ...fields, uuid, nodeUuid, address: macOf(values['address']) });
    },

    async update(port, values, request) {
      const nodeUuid =
        values['nodeUuid'] === undefined ? port.nodeUuid : await ownerNode(store.nodes, values['nodeUuid']);
      return engine.updatePort(port.uuid, await checkedFields(request, values, nodeUuid, port));
    },

    remove: (port) => engine.deletePort(port.uuid),
  });

  const byAddress = (address: string | undefined) =>
    address === undefined ? {} : { address: macOf(address) };
  ports.listUnder('nodes/:node', 1, async (request, { address }) => ({
    nodeUuid: (await nodeOf(store.nodes, request)).uuid,
    ...byAddress(address),
  }));
  ports.listUnder('portgroups/:portgroup', PORTGROUPS_SINCE, async (request, { address }) => ({
    portgroupUuid: (await store.portgroups.get((request.params as { portgroup: string }).portgroup)).uuid,
    ...byAddress(address),
  }));
}

/** Throws invalidParameter for the filter by conductor group together with one that says which nodes, too. */
export function refuseGroupsWith(groups: readonly string[] | undefined, others: readonly unknown[]): void {
  if (groups === undefined || others.every((other) => other === undefined)) return;
  throw new IngotError(
    'invalidParameter',
    'Filtering by conductor_groups cannot be combined with a filter by node, port group, address or shard.',
  );
}

const FILTERS = {
  node: { kind: 'text' },
  node_uuid: { kind: 'uuid' },
  address: { kind: 'text' },
  portgroup: { kind: 'text', since: PORTGROUPS_SINCE },
  shard: { kind: 'list', since: 82 },
  description_contains: { kind: 'text', since: DESCRIPTION_SINCE },
  conductor_groups: { kind: 'list', since: CONDUCTOR_GROUPS_SINCE },
} as const;
